package dev.weaklink.rebuild;

import dev.weaklink.rebuild.Backend.BuildStatus;
import dev.weaklink.rebuild.Backend.ExpectedOutput;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.system.ModuleNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

public final class Backends {
    private static final List<Backend> ALL = List.of(
            new MlnxBackend(), new MlnxInstallBackend(), new DocaBackend(), new DkmsBackend(), new CommandBackend());

    private Backends() {}

    public static List<Backend> all() {
        return ALL;
    }

    public static List<String> ids() {
        return ALL.stream().map(Backend::id).toList();
    }

    public static @Nullable Backend named(String id) {
        for (Backend backend : ALL) {
            if (backend.id().equals(id)) {
                return backend;
            }
        }
        return null;
    }

    /** {@code doca-kernel-support} of NVIDIA's DOCA-Host, which writes its result below /tmp. */
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
                        "doca-kernel-support does not support --root; run weaklink inside that root directory, such as"
                                + " with chroot");
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
            return new ExpectedOutput.Files(List.of("/tmp"), "doca-kernel-repo-", List.of(".rpm", ".deb"));
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

    /** Mellanox's {@code mlnx_add_kernel_support.sh}, which builds a new installation image from an image. */
    private static final class MlnxBackend extends BundleBackend {
        /** The number of free bytes that the script itself requires (versions 6 and 7). */
        private static final long LEAST_SPACE = 614_400L << 10;

        private static final int ALREADY_SUPPORTED = 30;
        private static final String CREATED = "Created ";

        MlnxBackend() {
            // Without -y, the script asks for confirmation, treats the end of input as a no, and exits with 0.
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

        /**
         * Recognises the message of version 6.1 that nothing has to be built. That version exits with 0, where later
         * versions exit with 30.
         */
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
     * The installer of an installation image, {@code mlnxofedinstall} or {@code install}, in build-only mode. In its
     * default mode, the installer would also remove the installed drivers and write firmware.
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

    private static final class DkmsBackend implements Backend {
        private static final int ALREADY_BUILT = 3;
        private static final int BUILD_EXCLUSIVE = 77;
        private static final int BUILD_EXCLUSIVE_BEFORE_3_0_7 = 9;

        @Override
        public String id() {
            return "dkms";
        }

        @Override
        public List<Step> steps(Job job) throws NotDoneException {
            if (job.packages().isEmpty()) {
                throw new NotDoneException(
                        "the DKMS package to build is not known; name one with --package NAME/VERSION");
            }
            List<Step> steps = new ArrayList<>();
            for (String label : job.packages()) {
                Arguments words = command("build", label, job);
                words.pathOption("--kernelsourcedir", job.place().buildTree());
                // Without --force, DKMS would accept files that an earlier build left, even incomplete ones.
                words.fixed("--force");
                List<String> needs = job.needs().getOrDefault(label, List.of());
                steps.add(step("building " + label, words, job).building(label, needs));
            }
            return steps;
        }

        @Override
        public List<Step> installation(Job job, Set<String> replacing) throws NotDoneException {
            List<Step> steps = new ArrayList<>();
            for (String label : job.packages()) {
                Arguments words = command("install", label, job);
                if (replacing.contains(label)) {
                    // The new module must replace a link or an earlier build. Without --force, DKMS skips a module if
                    // the kernel's own version is not older.
                    words.fixed("--force");
                }
                if (job.place().root() != null) {
                    words.pathOption("--installtree", job.place().inRoot("/lib/modules"));
                    // Without --no-depmod, DKMS would run depmod for the host's modules.
                    words.fixed("--no-depmod");
                }
                List<String> needs = job.needs().getOrDefault(label, List.of());
                steps.add(step("installing " + label, words, job).building(label, needs));
            }
            return steps;
        }

        @Override
        public List<Step> removal(Job job) throws NotDoneException {
            List<Step> steps = new ArrayList<>();
            // Packages that other packages need were installed first, so they are removed last.
            List<String> lastFirst = new ArrayList<>(job.packages());
            Collections.reverse(lastFirst);
            for (String label : lastFirst) {
                Arguments words = command("uninstall", label, job);
                if (job.place().root() != null) {
                    words.pathOption("--installtree", job.place().inRoot("/lib/modules"));
                    words.fixed("--no-depmod");
                }
                steps.add(Step.of("removing " + label, words));
            }
            if (job.place().root() != null) {
                Arguments depmod =
                        new Arguments("depmod").pathOption("-b", job.place().inRoot(""));
                steps.add(Step.of(
                        "updating modules.dep",
                        depmod.fixed(Arguments.name(job.place().kernel()))));
            }
            return steps;
        }

        private static Arguments command(String verb, String label, Job job) throws NotDoneException {
            int slash = label.indexOf('/');
            if (slash < 0) {
                throw new NotDoneException("'" + label + "': DKMS's packages are named NAME/VERSION");
            }
            Arguments words = new Arguments("dkms", verb)
                    .option("-m", label.substring(0, slash))
                    .option("-v", label.substring(slash + 1))
                    .option("-k", job.place().kernel());
            if (job.place().root() != null) {
                words.pathOption("--dkmstree", job.place().inRoot("/var/lib/dkms"));
                words.pathOption("--sourcetree", job.place().inRoot("/usr/src"));
            }
            return words;
        }

        /**
         * Returns a step. For another root directory, variables change the temporary directory and keep dkms from
         * signing with the host's key, because dkms has no options for this.
         */
        private static Step step(String title, Arguments words, Job job) throws NotDoneException {
            Map<String, String> environment = job.place().root() == null
                    ? Map.of()
                    : Map.of("TMPDIR", Arguments.path(job.place().work()), "sign_file", "/nonexistent");
            return new Step(title, words.list(), environment, null);
        }

        @Override
        public ExpectedOutput expected(Job job) throws NotDoneException {
            List<String> directories = new ArrayList<>();
            for (String label : job.packages()) {
                directories.add(job.place().inRoot("/var/lib/dkms") + "/" + label + "/"
                        + job.place().kernel());
            }
            return new ExpectedOutput.Files(directories, "", ModuleNames.ENDINGS);
        }

        @Override
        public List<String> programs(Job job) {
            return List.of("dkms");
        }

        @Override
        public BuildStatus ending(int status, List<String> lines) {
            return switch (status) {
                case 0 -> says(lines, "already built") ? BuildStatus.ALREADY_THERE : BuildStatus.BUILT;
                case ALREADY_BUILT -> BuildStatus.ALREADY_THERE;
                case BUILD_EXCLUSIVE -> BuildStatus.NOT_FOR_THIS_KERNEL;
                case BUILD_EXCLUSIVE_BEFORE_3_0_7 ->
                    says(lines, "BUILD_EXCLUSIVE") ? BuildStatus.NOT_FOR_THIS_KERNEL : BuildStatus.FAILED;
                default -> BuildStatus.FAILED;
            };
        }

        private static boolean says(List<String> lines, String word) {
            return lines.stream().anyMatch(line -> line.contains(word));
        }

        @Override
        public List<String> logDirectories(Job job) throws NotDoneException {
            return List.of(job.place().inRoot("/var/lib/dkms"));
        }

        @Override
        public List<String> ownLogs(Job job) throws NotDoneException {
            List<String> directories = new ArrayList<>();
            for (String label : job.packages()) {
                directories.add(job.place().inRoot("/var/lib/dkms/" + label));
            }
            return directories;
        }

        @Override
        public List<String> milestones() {
            return List.of("Building module", "Cleaning build area", "Signing module");
        }
    }

    static final class CommandBackend implements Backend {
        private static final List<String> PLACEHOLDERS = List.of("{kernel}", "{build}", "{root}", "{results}");

        @Override
        public String id() {
            return "command";
        }

        @Override
        public List<Step> steps(Job job) throws NotDoneException {
            if (job.own().words().isEmpty()) {
                throw new NotDoneException("the backend 'command' needs a build command; give it after --, such as:"
                        + " -- make -C {build} M=/usr/src/acme");
            }
            List<String> words = new ArrayList<>();
            for (String word : job.own().words()) {
                words.add(filled(word, job));
            }
            Map<String, String> environment = new TreeMap<>();
            for (Map.Entry<String, String> variable : job.own().environment().entrySet()) {
                environment.put(variable.getKey(), filled(variable.getValue(), job));
            }
            return List.of(new Step("building", words, environment, null));
        }

        private static String filled(String word, Job job) throws NotDoneException {
            StringBuilder filled = new StringBuilder();
            int at = 0;
            while (at < word.length()) {
                String name = placeholder(word, at);
                if (name.isEmpty()) {
                    filled.append(word.charAt(at++));
                } else {
                    filled.append(value(name, job));
                    at += name.length();
                }
            }
            return filled.toString();
        }

        private static String placeholder(String word, int at) {
            for (String name : PLACEHOLDERS) {
                if (word.startsWith(name, at)) {
                    return name;
                }
            }
            return "";
        }

        private static String value(String placeholder, Job job) throws NotDoneException {
            return switch (placeholder) {
                case "{kernel}" -> Arguments.name(job.place().kernel());
                case "{build}" -> Arguments.path(job.place().buildTree());
                case "{root}" ->
                    job.place().root() == null
                            ? "/"
                            : Arguments.path(job.place().inRoot(""));
                default -> results(job);
            };
        }

        private static String results(Job job) throws NotDoneException {
            String given = job.own().results();
            if (given == null) {
                return job.place().work();
            }
            String filled = filled(given.replace("{results}", ""), job);
            if (!filled.startsWith("/")) {
                throw new NotDoneException(filled + ": the directory of results must be an absolute path");
            }
            return filled;
        }

        @Override
        public ExpectedOutput expected(Job job) throws NotDoneException {
            List<String> endings = new ArrayList<>(ModuleNames.ENDINGS);
            endings.addAll(List.of(".rpm", ".deb", ".tgz", ".tar.gz"));
            return new ExpectedOutput.Files(
                    List.of(results(job)),
                    "",
                    endings,
                    // Files of earlier builds count too, because make(1) writes no file if there is nothing to do.
                    false);
        }

        @Override
        public List<String> programs(Job job) {
            return job.own().words().isEmpty()
                    ? List.of()
                    : List.of(job.own().words().get(0));
        }

        @Override
        public Privilege privilege() {
            return Privilege.ANY;
        }
    }
}
