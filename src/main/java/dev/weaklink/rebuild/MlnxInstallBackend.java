package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.List;

/**
 * The installer of an image, {@code mlnxofedinstall} or {@code install}, asked to build only: left
 * to itself it would remove what is installed before it installs, and write firmware.
 */
final class MlnxInstallBackend implements Backend {
  private static final String READY = "New image ready at: ";

  @Override
  public String id() {
    return "mlnx-install";
  }

  @Override
  public List<Step> steps(Job job) throws UnusableJobException {
    List<Step> steps = new ArrayList<>();
    Bundle bundle = BundleSteps.unpacked(job, steps);
    String installer = bundle.installer();
    if (installer == null) {
      throw new UnusableJobException(bundle.path() + ": has no installer");
    }
    Arguments words =
        new Arguments(Arguments.path(bundle.path()) + "/" + installer)
            .fixed("--add-kernel-support-build-only", "--without-fw-update")
            .pathOption("--tmpdir", job.place().work())
            .option("-k", job.place().kernel())
            .pathOption("-s", job.place().buildTree());
    BundleSteps.addSettings(words, job, bundle);
    steps.add(Step.of("building " + bundle.product() + " for " + job.place().kernel(), words));
    return steps;
  }

  @Override
  public List<String> debianPackages(Job job) {
    Bundle bundle = job.bundle();
    return bundle != null && bundle.debian() ? List.of("build-essential") : List.of();
  }

  @Override
  public boolean takesWords() {
    return true;
  }

  @Override
  public Promise promise(Job job) {
    return new Promise.Printed(READY);
  }

  @Override
  public List<String> programs(Job job) {
    return BundleSteps.programs(job);
  }

  @Override
  public long space(Job job) {
    return BundleSteps.space(job);
  }

  @Override
  public Ending ending(int status, List<String> lines) {
    if (status != 0) {
      return Ending.FAILED;
    }
    for (String line : lines) {
      if (line.startsWith(READY)) {
        return Ending.BUILT;
      }
      if (line.startsWith("Kernel ") && line.contains("is already supported")) {
        return Ending.ALREADY_THERE;
      }
    }
    return Ending.NOTHING_BUILT;
  }

  @Override
  public List<String> milestones() {
    return List.of("Checking ", "Building ", "Creating ", READY);
  }
}
