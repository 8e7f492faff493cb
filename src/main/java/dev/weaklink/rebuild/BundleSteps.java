package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.List;

/** What the two ways to build from one of Mellanox's images have in common. */
final class BundleSteps {
  private BundleSteps() {}

  /**
   * The image as a directory; if it is an archive, with a step that unpacks it.
   *
   * @throws UnusableJobException if there is none
   */
  static Bundle unpacked(Job job, List<Step> steps) throws UnusableJobException {
    Bundle bundle = job.bundle();
    if (bundle == null) {
      throw new UnusableJobException(
          "the installation image is needed: give its directory or archive with --bundle");
    }
    if (bundle.form() == Bundle.Form.FOREIGN) {
      throw new UnusableJobException(
          bundle.path()
              + ": no installation image: neither a directory with .mlnx nor a tar archive; an ISO"
              + " file is read by xorriso or bsdtar, if one is installed, or mounted: mount -o"
              + " loop,ro FILE DIR");
    }
    if (!bundle.isPacked()) {
      return bundle;
    }
    String directory = Arguments.path(job.place().work()) + "/bundle";
    steps.add(Step.of("making room", new Arguments("mkdir").file(directory)));
    steps.add(Step.of("unpacking " + bundle.path(), unpacking(bundle, directory)));
    if (bundle.form() == Bundle.Form.ISO) {
      // On such a medium nothing can be written to, and that is kept.
      steps.add(
          Step.of(
              "making it writable", new Arguments("chmod", "--recursive", "u+w").file(directory)));
    }
    return bundle.unpackedTo(directory);
  }

  private static Arguments unpacking(Bundle bundle, String directory) throws UnusableJobException {
    if (bundle.unpacker().equals("xorriso")) {
      return new Arguments("xorriso", "-osirrox", "on")
          .pathOption("-indev", bundle.path())
          .fixed("-extract", "/")
          .file(directory);
    }
    if (bundle.form() == Bundle.Form.ISO) {
      return new Arguments(bundle.unpacker(), "-x")
          .pathOption("-C", directory)
          .pathOption("-f", bundle.path());
    }
    return new Arguments("tar", "--extract", "--no-same-owner", "--strip-components=1")
        .pathOption("--directory", directory)
        .pathOption("--file", bundle.path());
  }

  static void addSettings(Arguments words, Job job, Bundle bundle) throws UnusableJobException {
    Job.Settings settings = job.settings();
    if (settings.kmp() && !bundle.debian()) {
      words.fixed("--kmp");
    }
    if (settings.skipRepo()) {
      words.fixed("--skip-repo");
    }
    String distro = settings.distro();
    if (distro != null) {
      words.option("--distro", distro);
    }
    words.further(settings.further());
  }

  /** The image is copied, and what is packed again needs as much once more. */
  static long space(Job job) {
    Bundle bundle = job.bundle();
    return bundle == null ? 0 : (bundle.isPacked() ? 3 : 2) * bundle.size();
  }

  static List<String> programs(Job job) {
    Bundle bundle = job.bundle();
    List<String> programs = new ArrayList<>(List.of("bash", "perl", "tar"));
    if (bundle != null && bundle.debian()) {
      programs.addAll(List.of("dpkg-buildpackage", "dh"));
    } else {
      programs.add("rpmbuild");
    }
    return programs;
  }
}
