package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All backends. */
public final class Backends {
  private static final List<Backend> ALL =
      List.of(
          new MlnxBackend(),
          new MlnxInstallBackend(),
          new DocaBackend(),
          new DkmsBackend(),
          new CommandBackend());

  private Backends() {}

  /** All of them. */
  public static List<Backend> all() {
    return ALL;
  }

  /** What {@code --backend} takes. */
  public static List<String> ids() {
    return ALL.stream().map(Backend::id).toList();
  }

  /** The backend of that id, null if there is none. */
  public static @Nullable Backend named(String id) {
    for (Backend backend : ALL) {
      if (backend.id().equals(id)) {
        return backend;
      }
    }
    return null;
  }

  /** {@code doca-kernel-support} of NVIDIA's DOCA-Host, which leaves its result below /tmp. */
  private static final class DocaBackend implements Backend {
    static final String TOOL = "/opt/mellanox/doca/tools/doca-kernel-support";

    @Override
    public String id() {
      return "doca";
    }

    @Override
    public List<Step> steps(Job job) throws NotDoneException {
      if (job.place().root() != null) {
        throw new NotDoneException(
            "doca-kernel-support does not support --root; run weaklink inside the image");
      }
      Arguments words = new Arguments(TOOL).option("-k", job.place().kernel());
      words.further(job.settings().further());
      return List.of(Step.of("building DOCA for " + job.place().kernel(), words));
    }

    @Override
    public boolean takesWords() {
      return true;
    }

    @Override
    public ExpectedOutput expected(Job job) {
      return new ExpectedOutput.Files(
          List.of("/tmp"), "doca-kernel-repo-", List.of(".rpm", ".deb"));
    }

    @Override
    public List<String> programs(Job job) {
      return List.of(TOOL);
    }

    @Override
    public long space(Job job) {
      return 2L << 30;
    }

    @Override
    public List<String> logDirectories(Job job) {
      return List.of("/tmp");
    }

    @Override
    public List<String> milestones() {
      return List.of("Building ", "Missing package");
    }
  }

  /** Mellanox's {@code mlnx_add_kernel_support.sh}, which makes a new image of an image. */
  private static final class MlnxBackend extends BundleBackend {
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

  /**
   * The installer of an image, {@code mlnxofedinstall} or {@code install}, asked to build only:
   * left to itself it would remove what is installed before it installs, and write firmware.
   */
  private static final class MlnxInstallBackend extends BundleBackend {
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
}
