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
    switch (bundle.form()) {
      case FOREIGN ->
          throw new UnusableJobException(
              bundle.path()
                  + ": no installation image: neither a directory with .mlnx nor a tar archive;"
                  + " an ISO file must be mounted first: mount -o loop,ro FILE DIR");
      case ARCHIVE -> {
        String directory = Words.path(job.place().work()) + "/bundle";
        steps.add(Step.of("making room", new Words("mkdir").file(directory)));
        Words words =
            new Words("tar", "--extract", "--no-same-owner", "--strip-components=1")
                .pathOption("--directory", directory)
                .pathOption("--file", bundle.path());
        steps.add(Step.of("unpacking " + bundle.path(), words));
        return bundle.unpackedTo(directory);
      }
      case DIRECTORY -> {
        return bundle;
      }
    }
    throw new AssertionError(bundle.form());
  }

  static void addSettings(Words words, Job job, Bundle bundle) throws UnusableJobException {
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
  }

  /** The image is copied, and what is packed again needs as much once more. */
  static long space(Job job) {
    Bundle bundle = job.bundle();
    return bundle == null ? 0 : 2 * bundle.size();
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
