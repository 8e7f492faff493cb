package dev.weaklink.rebuild.run;

import dev.weaklink.check.EnrolledKeys;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.module.signature.CertificateFile;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Backends;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.DkmsFailure;
import dev.weaklink.rebuild.DkmsOrder;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Platform;
import dev.weaklink.rebuild.Preflight;
import dev.weaklink.rebuild.Preflight.BuildEnvironment;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.SourceChooser;
import dev.weaklink.rebuild.SourceChooser.Source;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.DpkgStatus;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.KernelFiles.BuildDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Prepares a rebuild from a request and from the facts of the system. */
public final class Preparation {
    private static final String DKMS = "dkms";
    static final List<String> FAKEROOT = List.of("fakeroot", "--");

    private final RebuildRequest request;
    private final Root root;
    private final PriorRebuilds ahead;

    private Preparation(RebuildRequest request, Root root, PriorRebuilds ahead) {
        this.request = request;
        this.root = root;
        this.ahead = ahead;
    }

    /**
     * The effects of rebuilds that will run earlier for the same kernel.
     *
     * @param runs the number of run directories that they will create
     * @param installed the DKMS packages that they install
     */
    record PriorRebuilds(int runs, List<String> installed) {
        static final PriorRebuilds NOTHING = new PriorRebuilds(0, List.of());

        PriorRebuilds and(PlannedRebuild one, boolean installs) {
            List<String> more = new ArrayList<>(installed);
            PreparedRebuild prepared = one.prepared();
            if (installs && prepared != null && prepared.backend().id().equals(DKMS)) {
                more.addAll(prepared.job().packages());
            }
            return new PriorRebuilds(one.kept() == null ? runs + 1 : runs, more);
        }
    }

    /**
     * Prepares a rebuild without changing any file.
     *
     * @throws NotDoneException if the commands cannot be determined
     * @throws IOException if the root is unusable
     */
    public static PreparedRebuild prepare(RebuildRequest request) throws NotDoneException, IOException {
        return prepare(request, PriorRebuilds.NOTHING);
    }

    static PreparedRebuild prepare(RebuildRequest request, PriorRebuilds ahead) throws NotDoneException, IOException {
        Root root = Root.of(request.root());
        return new Preparation(request, root, ahead).run();
    }

    private PreparedRebuild run() throws NotDoneException, IOException {
        String kernel = request.kernel();
        Evidence evidence = EvidenceReader.read(root, bundle(), EvidenceReader.rules(root));
        Source source = new SourceChooser(evidence).of(request.product());
        Backend backend = backend(source);
        RunDirectory run = RunDirectory.next(root, kernel, request.work(), ahead.runs());
        Job job = job(backend, source, evidence, run);
        if (!request.settings().further().isEmpty() && !backend.takesWords()) {
            throw new NotDoneException(backend.id() + " takes no further arguments: "
                    + request.settings().further().get(0));
        }
        List<Step> steps = backend.steps(job);
        if (root.isHost() && backend.id().equals(DKMS) && request.buildTree() == null) {
            steps = new KeptBuilds(root).handing(steps, job, request.environment());
        }
        BuildEnvironment here =
                new SurroundingsProbe(root, request.environment()).look(backend, job, evidence.platform());
        List<Obstacle> obstacles = new ArrayList<>(Preflight.examine(backend, job, evidence, here));
        for (DkmsFailure failure : DkmsFailures.of(kernel, false, evidence, root)) {
            if (backend.id().equals(DKMS) && job.packages().contains(failure.label())) {
                obstacles.add(failure.obstacle());
            }
        }
        boolean faked = backend.privilege() == Backend.Privilege.FAKE_ROOT && !here.root();
        boolean named = request.backend() != null || !request.packages().isEmpty() && source.rule() == null;
        String reason = named ? "asked for" : source.reason();
        return new PreparedRebuild(
                request, root, evidence, backend, reason, job, faked ? faked(steps) : steps, obstacles, run);
    }

    private static List<Step> faked(List<Step> steps) {
        return steps.stream().map(step -> step.through(FAKEROOT)).toList();
    }

    private @Nullable Bundle bundle() throws NotDoneException {
        Path given = request.bundle();
        if (given == null) {
            return null;
        }
        try {
            return BundleReader.read(given, request.environment());
        } catch (IOException e) {
            throw new NotDoneException(given + ": " + IoReason.of(e));
        }
    }

    private Backend backend(Source source) throws NotDoneException {
        String detected = request.packages().isEmpty() ? source.backend() : DKMS;
        String asked = request.backend();
        Backend backend = Backends.named(asked == null ? detected : asked);
        if (backend == null) {
            throw new NotDoneException(
                    "cannot detect the build system of the modules for " + request.kernel() + ": " + source.reason());
        }
        return backend;
    }

    private Job job(Backend backend, Source source, Evidence evidence, RunDirectory run)
            throws NotDoneException, IOException {
        String distro = request.settings().distro();
        Bundle bundle = evidence.bundle();
        if (distro == null && bundle != null) {
            distro = bundle.distroOn(evidence.platform());
        }
        boolean same = backend.id().equals(source.backend());
        List<String> packages = request.packages().isEmpty() && same ? source.packages() : request.packages();
        if (backend.id().equals(DKMS)) {
            packages = withVersions(packages, evidence.dkms());
        }
        DkmsOrder order = backend.id().equals(DKMS)
                ? DkmsOrder.of(
                        packages, evidence.dkms().installing(ahead.installed(), request.kernel()), request.kernel())
                : new DkmsOrder(packages, Map.of());
        RebuildHint rule = same ? source.rule() : null;
        return new Job(
                new Job.BuildPlace(
                                request.kernel(),
                                buildTree().toString(),
                                run.work().toString(),
                                root.isHost() ? null : root.top().toString())
                        .checked(),
                request.settings().withDistro(distro),
                bundle,
                order.packages(),
                own(rule),
                order.needs());
    }

    private static List<String> withVersions(List<String> packages, DkmsTree dkms) throws NotDoneException {
        List<String> labels = new ArrayList<>();
        for (String name : packages) {
            DkmsPackage latest = name.contains("/") ? null : dkms.latest(name);
            if (latest == null && !name.contains("/")) {
                throw new NotDoneException(
                        "'" + name + "': no such package in DKMS's tree; 'dkms status' lists the packages");
            }
            labels.add(latest == null ? name : latest.label());
        }
        return labels;
    }

    /**
     * Returns the command of the backend {@code command}. A command from the rules of another root runs on the host
     * only if the user requests this backend.
     */
    private RebuildHint.SiteCommand own(@Nullable RebuildHint rule) throws NotDoneException {
        RebuildHint.SiteCommand said = rule == null ? null : rule.command();
        if (said == null || !request.own().words().isEmpty()) {
            return request.own();
        }
        if (!root.isHost() && request.backend() == null) {
            throw new NotDoneException(
                    "the build command is in the rules below --root, so weaklink runs it only on request: show it with"
                            + " --dry-run --backend command, run it with --backend command");
        }
        String results = request.own().results();
        Map<String, String> environment = new TreeMap<>(said.environment());
        environment.putAll(request.own().environment());
        return new RebuildHint.SiteCommand(said.words(), environment, results == null ? said.results() : results);
    }

    /** Returns the path of the requested or installed build tree, or its usual path if it is not installed. */
    private Path buildTree() throws IOException {
        Path given = request.buildTree();
        if (given != null) {
            return given.toAbsolutePath().normalize();
        }
        String kernel = request.kernel();
        Path installed = TrialKernel.headers(root, kernel);
        return installed != null
                ? installed
                : root.resolve("/lib/modules").resolve(kernel).resolve("build");
    }

    private record SurroundingsProbe(Root root, Map<String, String> environment) {
        private static final Duration COMPILER_LIMIT = Duration.ofSeconds(20);
        private static final int SCRIPT_LIMIT = 4 << 20;

        /** The directory of dpkg's database, unless DPKG_ADMINDIR is set (dpkg(1)). */
        private static final String DPKG_DIRECTORY = "/var/lib/dpkg";

        BuildEnvironment look(Backend backend, Job job, Platform platform) throws IOException {
            Set<String> present = new TreeSet<>();
            Path tree = Path.of(job.place().buildTree());
            Toolchain toolchain = Toolchain.of(tree);
            Set<String> programs = new TreeSet<>(Preflight.programs(backend, job));
            programs.addAll(toolchain.programs());
            for (String program : programs) {
                if (ProgramSearch.find(program, environment) != null) {
                    present.add(program);
                }
            }
            KernelConfig config = config(job.place().kernel());
            KernelConfig built = Toolchain.config(tree);
            String version =
                    built != null ? built.value("GCC_VERSION") : config == null ? null : config.value("GCC_VERSION");
            return new BuildEnvironment(
                    isRoot(),
                    present,
                    free(Path.of(job.place().work())),
                    treeRelease(tree),
                    toolchain.programs(),
                    major(version),
                    version(toolchain.compiler()),
                    holder(job.place().kernel()),
                    new SigningProbe(root, environment).look(backend, config),
                    fitting(job.bundle(), platform),
                    indexers(job.bundle()),
                    missing(backend.debianPackages(job)));
        }

        /**
         * Returns the programs with which the script in the installation image of Mellanox can create a repository. A
         * script that cannot be read is assumed to accept either program, as later scripts do.
         */
        private static List<String> indexers(@Nullable Bundle bundle) {
            String script = script(bundle);
            boolean either = script.isEmpty() || script.contains("createrepo_c");
            return either ? List.of("createrepo", "createrepo_c") : List.of("createrepo");
        }

        /** Returns the given packages that the running system lacks; empty if the system does not use dpkg. */
        private List<String> missing(List<String> packages) {
            String directory = environment.getOrDefault("DPKG_ADMINDIR", DPKG_DIRECTORY);
            String status = packages.isEmpty() ? "" : RootText.read(Path.of(directory, "status"), DpkgStatus.LIMIT);
            List<String> missing = new ArrayList<>(status.isEmpty() ? List.of() : packages);
            missing.removeAll(DpkgStatus.installed(status).keySet());
            return missing;
        }

        private static String script(@Nullable Bundle bundle) {
            StringBuilder text = new StringBuilder();
            for (String name : List.of(Bundle.SCRIPT, "create_mlnx_ofed_installers.pl")) {
                if (bundle != null && bundle.form() == Bundle.Form.DIRECTORY) {
                    text.append(RootText.read(Path.of(bundle.path()).resolve(name), SCRIPT_LIMIT));
                }
            }
            return text.toString();
        }

        private boolean isRoot() {
            try {
                Object owner = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
                return Integer.valueOf(0).equals(owner) || environment.containsKey("FAKEROOTKEY");
            } catch (IOException e) {
                return false;
            }
        }

        private static long free(Path work) {
            try {
                return Files.getFileStore(existing(work)).getUsableSpace();
            } catch (IOException e) {
                return -1;
            }
        }

        private static Path existing(Path path) {
            Path at = path;
            while (!Files.exists(at)) {
                Path parent = at.getParent();
                if (parent == null) {
                    return at;
                }
                at = parent;
            }
            return at;
        }

        private static @Nullable String treeRelease(Path tree) {
            return Files.isRegularFile(tree.resolve("Makefile"))
                    ? BuildDirectory.of(tree).release()
                    : null;
        }

        private @Nullable KernelConfig config(String kernel) throws IOException {
            FoundFile config = KernelFiles.locate(root, kernel).first(KernelFiles.Role.CONFIG);
            if (config == null) {
                return null;
            }
            try {
                FileContents contents = new FileContents(Limits.TEXT);
                contents.load(config.host());
                return new KernelConfig(contents.bytes(), contents.length());
            } catch (UnreadableException e) {
                return null;
            }
        }

        /** Returns the major version of a CONFIG_GCC_VERSION (scripts/cc-version.sh), such as 12 for 120200. */
        private static int major(@Nullable String version) {
            try {
                return version == null ? 0 : Integer.parseInt(version) / 10_000;
            } catch (NumberFormatException e) {
                return 0;
            }
        }

        private int version(String compiler) {
            Path program = ProgramSearch.find(compiler, environment);
            if (program == null) {
                return 0;
            }
            try {
                String version = ExternalCommand.of(List.of(program.toString(), "-dumpversion"), COMPILER_LIMIT)
                        .run()
                        .output()
                        .strip();
                int dot = version.indexOf('.');
                return Integer.parseInt(dot < 0 ? version : version.substring(0, dot));
            } catch (IOException | NumberFormatException e) {
                return 0;
            }
        }

        private @Nullable String holder(String kernel) throws IOException {
            LockFile.Holder holder = LockFile.heldBy(RunDirectory.lock(root, kernel));
            if (holder == null) {
                return null;
            }
            return holder.command().isEmpty()
                    ? "process " + holder.pid()
                    : holder.command() + " (process " + holder.pid() + ")";
        }

        private static @Nullable Boolean fitting(@Nullable Bundle bundle, Platform platform) {
            String name = platform.bundleName();
            if (bundle == null || !bundle.script() || bundle.form() != Bundle.Form.DIRECTORY || name == null) {
                return null;
            }
            String script = RootText.read(Path.of(bundle.path()).resolve(Bundle.SCRIPT), SCRIPT_LIMIT);
            int dot = name.indexOf('.');
            return script.contains(dot < 0 ? name : name.substring(0, dot));
        }

        /**
         * Determines whether modules must be signed, the key that a build would sign with, and whether that key is
         * enrolled.
         */
        private static final class SigningProbe {
            private static final int CERTIFICATE_LIMIT = 1 << 20;
            private static final String FIRMWARE = "/sys/firmware/efi/efivars";
            private static final String SECURE_BOOT = FIRMWARE + "/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

            /** The settings of DKMS, in a file and in a directory of the same name with {@code .d}. */
            private static final String FRAMEWORK = "/etc/dkms/framework.conf";

            private static final List<String> DKMS_KEYS =
                    List.of("/var/lib/dkms/mok.key", "/var/lib/shim-signed/mok/MOK.priv");

            private static final List<String> DKMS_CERTIFICATES =
                    List.of("/var/lib/dkms/mok.pub", "/var/lib/shim-signed/mok/MOK.der");

            private final Root root;
            private final RootText text;
            private final Map<String, String> environment;

            SigningProbe(Root root, Map<String, String> environment) {
                this.root = root;
                this.text = new RootText(root);
                this.environment = environment;
            }

            BuildEnvironment.Signing look(Backend backend, @Nullable KernelConfig config) {
                boolean forced = config != null && "y".equals(config.value("MODULE_SIG_FORCE"));
                boolean keys = file("MODULE_SIGN_PRIV_KEY") != null && file("MODULE_SIGN_PUB_KEY") != null;
                int own = dkmsKey();
                String configured = dkmsSetting("mok_signing_key");
                boolean hasDkmsKey =
                        configured == null ? own >= 0 : configured.contains("$") || text.isFile(configured);
                String dkmsCertificate = configured != null
                        ? dkmsSetting("mok_certificate")
                        : own >= 0 ? DKMS_CERTIFICATES.get(own) : null;
                Path certificate = keys
                        ? file("MODULE_SIGN_PUB_KEY")
                        : backend.id().equals(DKMS) && dkmsCertificate != null ? inRoot(dkmsCertificate) : null;
                return new BuildEnvironment.Signing(
                        forced || isSecureBoot(),
                        keys,
                        hasDkmsKey,
                        certificate == null || isEnrolled(certificate) ? null : certificate.toString());
            }

            private int dkmsKey() {
                for (int i = 0; i < DKMS_KEYS.size(); i++) {
                    if (text.isFile(DKMS_KEYS.get(i))) {
                        return i;
                    }
                }
                return -1;
            }

            /**
             * Returns the last value of a variable in DKMS's configuration, without quotes; null if it is not set. The
             * value is not expanded: it may contain {@code $}.
             */
            private @Nullable String dkmsSetting(String variable) {
                List<String> files = new ArrayList<>(List.of(FRAMEWORK));
                text.names(FRAMEWORK + ".d").stream()
                        .filter(name -> name.endsWith(".conf"))
                        .forEach(name -> files.add(FRAMEWORK + ".d/" + name));
                String value = null;
                for (String file : files) {
                    for (String line : text.read(file, SCRIPT_LIMIT).split("\n", -1)) {
                        if (line.strip().startsWith(variable + "=")) {
                            value = line.strip()
                                    .substring(variable.length() + 1)
                                    .replaceAll("[\"']", "");
                        }
                    }
                }
                return value;
            }

            private @Nullable Path inRoot(String inside) {
                try {
                    return root.resolve(inside);
                } catch (IOException e) {
                    return null;
                }
            }

            private @Nullable Path file(String variable) {
                try {
                    String path = environment.get(variable);
                    boolean there = path != null && !path.isEmpty() && Files.isRegularFile(Path.of(path));
                    return there ? Path.of(path) : null;
                } catch (InvalidPathException e) {
                    return null;
                }
            }

            /**
             * Returns whether a certificate is enrolled in the firmware or in the boot loader (MOK). Also returns true
             * if the enrolled keys are not known or the certificate cannot be read.
             */
            private boolean isEnrolled(Path certificate) {
                if (!text.isDirectory(FIRMWARE)) {
                    return true;
                }
                KeyRing enrolled = EnrolledKeys.read(root);
                List<EncodedCertificate> own = certificates(certificate);
                if (own.isEmpty() || !enrolled.complete()) {
                    return true;
                }
                return enrolled.certificates().stream()
                        .anyMatch(known -> Arrays.equals(known.der(), own.get(0).der()));
            }

            private static List<EncodedCertificate> certificates(Path file) {
                try (InputStream in = RegularFile.open(file)) {
                    return CertificateFile.read(in.readNBytes(CERTIFICATE_LIMIT), file.toString());
                } catch (IOException e) {
                    return List.of();
                }
            }

            /**
             * Returns whether Secure Boot is on. The file contains four bytes of attributes, then the value (UEFI 3.3,
             * SecureBoot).
             */
            private boolean isSecureBoot() {
                byte[] variable = text.bytes(SECURE_BOOT, 6);
                return variable.length == 5 && variable[4] == 1;
            }
        }
    }
}
