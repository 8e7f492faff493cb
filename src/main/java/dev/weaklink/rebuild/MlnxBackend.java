package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.List;

/** Mellanox's {@code mlnx_add_kernel_support.sh}, which makes a new image of an image. */
final class MlnxBackend implements Backend {
  /** What the script itself insists on (its versions 6 and 7). */
  private static final long LEAST_SPACE = 614_400L << 10;

  private static final int ALREADY_SUPPORTED = 30;
  private static final String CREATED = "Created ";

  @Override
  public String id() {
    return "mlnx";
  }

  @Override
  public List<Step> steps(Job job) throws UnusableJobException {
    List<Step> steps = new ArrayList<>();
    Bundle bundle = BundleSteps.unpacked(job, steps);
    if (!bundle.script()) {
      throw new UnusableJobException(
          bundle.path() + ": has no " + Bundle.SCRIPT + "; try --backend mlnx-install");
    }
    Arguments words =
        new Arguments(Arguments.path(bundle.path()) + "/" + Bundle.SCRIPT)
            .pathOption("-m", bundle.path())
            .fixed("--make-tgz")
            .pathOption("-t", job.place().work())
            .option("-k", job.place().kernel())
            .pathOption("-s", job.place().buildTree());
    BundleSteps.addSettings(words, job, bundle);
    // Without -y it asks, takes the end of its input for a no, and exits with 0.
    steps.add(Step.of("building " + bundle.product() + " for " + kernel(job), words.fixed("-y")));
    return steps;
  }

  private static String kernel(Job job) {
    return job.place().kernel();
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
    return new Promise.Printed(CREATED);
  }

  @Override
  public List<String> programs(Job job) {
    return BundleSteps.programs(job);
  }

  @Override
  public Privilege privilege() {
    return Privilege.FAKE_ROOT;
  }

  @Override
  public long space(Job job) {
    return Math.max(LEAST_SPACE, BundleSteps.space(job));
  }

  @Override
  public Ending ending(int status, List<String> lines) {
    if (status == ALREADY_SUPPORTED) {
      return Ending.ALREADY_THERE;
    }
    if (status != 0) {
      return Ending.FAILED;
    }
    for (String line : lines) {
      if (line.startsWith(CREATED)) {
        return Ending.BUILT;
      }
      // Version 6.1 ended with 0 for what later ones say by 30.
      if (line.startsWith("Required kernel (") && line.contains("is already supported by")) {
        return Ending.ALREADY_THERE;
      }
    }
    return Ending.NOTHING_BUILT;
  }

  @Override
  public List<String> milestones() {
    return List.of("Checking if all needed packages", "Building ", "Creating ", CREATED);
  }
}
