package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import java.util.List;

/**
 * The installer of an image, {@code mlnxofedinstall} or {@code install}, asked to build only: left
 * to itself it would remove what is installed before it installs, and write firmware.
 */
final class MlnxInstallBackend extends BundleBackend {
  private static final String READY = "New image ready at: ";

  MlnxInstallBackend() {
    super(READY);
  }

  @Override
  public String id() {
    return "mlnx-install";
  }

  @Override
  Arguments command(Bundle bundle, String work) throws NotDoneException {
    String installer = bundle.installer();
    if (installer == null) {
      throw new NotDoneException(bundle.path() + ": has no installer");
    }
    return new Arguments(Arguments.path(bundle.path()) + "/" + installer)
        .fixed("--add-kernel-support-build-only", "--without-fw-update")
        .pathOption("--tmpdir", work);
  }

  @Override
  boolean saysAlreadyThere(String line) {
    return line.startsWith("Kernel ") && line.contains("is already supported");
  }

  @Override
  public List<String> milestones() {
    return List.of("Checking ", "Building ", "Creating ", READY);
  }
}
