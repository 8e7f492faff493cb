package dev.weaklink.rebuild;

import java.util.List;
import java.util.Map;

/** A Debian source package with modules for one kernel, built by dpkg-buildpackage(1). */
final class DebBackend implements Backend {
  @Override
  public String id() {
    return "deb";
  }

  @Override
  public List<Step> steps(Job job) throws UnusableJobException {
    String source = job.source();
    if (source == null) {
      throw new UnusableJobException(
          "a source package is needed: give its directory or .dsc with --source");
    }
    String directory = Arguments.path(job.place().work()) + "/source";
    Arguments fetch =
        source.endsWith(".dsc")
            ? new Arguments("dpkg-source", "--extract").file(source).file(directory)
            : new Arguments("cp", "--archive", "--no-target-directory")
                .file(source)
                .file(directory);
    Map<String, String> environment =
        Map.of(
            "WITH_DKMS", "0",
            "kernelver", Arguments.name(job.place().kernel()),
            "kernel_source_dir", Arguments.path(job.place().buildTree()),
            "KVERS", job.place().kernel(),
            "KSRC", job.place().buildTree());
    return List.of(
        Step.of("copying the source", fetch),
        new Step(
            "building packages",
            new Arguments("dpkg-buildpackage", "-us", "-uc", "-b").list(),
            environment,
            Arguments.path(directory)));
  }

  @Override
  public Promise promise(Job job) {
    return new Promise.Files(List.of(job.place().work()), "", List.of(".deb"));
  }

  @Override
  public List<String> programs(Job job) {
    return List.of("dpkg-buildpackage", "dh", "fakeroot");
  }

  @Override
  public List<String> debianPackages(Job job) {
    return List.of("build-essential");
  }

  @Override
  public Privilege privilege() {
    return Privilege.ANY;
  }

  @Override
  public List<String> milestones() {
    return List.of("dpkg-buildpackage: info:", "dpkg-deb: building package");
  }
}
