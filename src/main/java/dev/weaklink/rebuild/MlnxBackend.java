package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import java.util.List;

/** Mellanox's {@code mlnx_add_kernel_support.sh}, which makes a new image of an image. */
final class MlnxBackend extends BundleBackend {
  /** What the script itself insists on (its versions 6 and 7). */
  private static final long LEAST_SPACE = 614_400L << 10;

  private static final int ALREADY_SUPPORTED = 30;
  private static final String CREATED = "Created ";

  MlnxBackend() {
    // Without -y it asks, takes the end of its input for a no, and exits with 0.
    super(CREATED, "-y");
  }

  @Override
  public String id() {
    return "mlnx";
  }

  @Override
  Arguments command(Bundle bundle, String work) throws NotDoneException {
    if (!bundle.script()) {
      throw new NotDoneException(
          bundle.path() + ": has no " + Bundle.SCRIPT + "; try --backend mlnx-install");
    }
    return new Arguments(Arguments.path(bundle.path()) + "/" + Bundle.SCRIPT)
        .pathOption("-m", bundle.path())
        .fixed("--make-tgz")
        .pathOption("-t", work);
  }

  @Override
  public Privilege privilege() {
    return Privilege.FAKE_ROOT;
  }

  @Override
  public long space(Job job) {
    return Math.max(LEAST_SPACE, super.space(job));
  }

  @Override
  public BuildStatus ending(int status, List<String> lines) {
    return status == ALREADY_SUPPORTED ? BuildStatus.ALREADY_THERE : super.ending(status, lines);
  }

  /** Version 6.1 ended with 0 for what later ones say by 30. */
  @Override
  boolean saysAlreadyThere(String line) {
    return line.startsWith("Required kernel (") && line.contains("is already supported by");
  }

  @Override
  public List<String> milestones() {
    return List.of("Checking if all needed packages", "Building ", "Creating ", CREATED);
  }
}
