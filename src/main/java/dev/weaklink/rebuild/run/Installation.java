package dev.weaklink.rebuild.run;

import dev.weaklink.links.transaction.Change;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.LinkTransaction;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionRunner;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.Platform;
import dev.weaklink.rebuild.Step;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.sys.ProcessGroup;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleBuilds;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.RpmDatabase;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Installs built modules: with DKMS if DKMS built them; else as packages with rpm or dpkg; else as files. The last step
 * is a transaction that runs depmod. Before another program installs modules, weaklink records this installation in its
 * history.
 */
public final class Installation {
    private static final Duration LIMIT = Duration.ofMinutes(30);

    /** The environment variable that marks the programs of an installation. */
    private static final String MARK = "WEAKLINK_INSTALL";

    private static final long GRACE_MILLIS = 5_000;

    private final PreparedRebuild prepared;
    private final RebuildOutcome outcome;
    private final TransactionSettings settings;
    private final Root root;
    private final String kernel;
    private final String title;
    private final TransactionRunner runner;

    /**
     * Creates the installation of one run.
     *
     * @param title the command line, for the history
     * @param waiting receives a line about the process that the transaction waits for
     */
    public Installation(
            PreparedRebuild prepared,
            RebuildOutcome outcome,
            TransactionSettings settings,
            String title,
            Consumer<String> waiting) {
        this.prepared = prepared;
        this.outcome = outcome;
        this.settings = settings;
        this.root = prepared.root();
        this.kernel = prepared.job().place().kernel();
        this.title = title;
        this.runner = new TransactionRunner(root, settings, new Waiting(waiting));
    }

    private record Waiting(Consumer<String> listener) implements TransactionListener {
        @Override
        public void waitingFor(LockFile.Holder holder) {
            listener.accept("waiting for " + holder.words() + ", which is changing links");
        }
    }

    /**
     * The result of an installation.
     *
     * @param undo the commands or sentences that tell the administrator how to undo the installation; empty if
     *     {@code weaklink undo} does so
     * @param missing the packages that were not installed, with reasons; always empty if one command installs all
     *     packages
     * @param leftOut the names of modules that DKMS did not install, for example because the kernel has its own version
     */
    public record Installed(List<String> undo, List<PackageResult> missing, List<String> leftOut) {
        public Installed {
            undo = List.copyOf(undo);
            missing = List.copyOf(missing);
            leftOut = List.copyOf(leftOut);
        }

        Set<String> names(Manifest manifest) {
            List<BuiltModule> installed = new ArrayList<>(manifest.modules());
            for (PackageResult one : missing) {
                installed.removeIf(module -> isOf(one.label(), module));
            }
            Set<String> names = BuiltModule.names(installed);
            names.removeAll(leftOut);
            return names;
        }
    }

    private static boolean isOf(String label, BuiltModule module) {
        return module.file().contains("/" + label + "/");
    }

    /**
     * Installs the modules. If packages are installed separately, a failed package does not stop packages that do not
     * need it.
     *
     * @param group the group of the transaction in the history
     * @throws NotDoneException if the installation fails; the exception says whether everything is as before
     */
    public Installed run(TransactionGroup group) throws NotDoneException {
        try (LockFile lock = lock(root, kernel)) {
            if (lock == null) {
                throw notDone("another rebuild is running for " + kernel, true);
            }
            return locked(group);
        } catch (IOException e) {
            throw notDone("cannot install: " + IoReason.of(e), false);
        }
    }

    /**
     * Returns the commands that the installation would run. If weaklink installs the files itself, returns their paths
     * inside the root.
     *
     * @throws NotDoneException if a command would contain an unsafe path or name
     * @throws IOException if a package cannot be queried, or the kernel has no directory of modules
     */
    public List<String> preview() throws NotDoneException, IOException {
        PackageInstaller.InstallCommands way = way();
        if (way != null) {
            return way.steps().stream().map(Step::commandLine).toList();
        }
        return files().stream().map(Change.PutFile::path).toList();
    }

    /** Acquires the lock of a kernel's rebuilds; returns null if another process holds it. */
    static @Nullable LockFile lock(Root root, String kernel) throws IOException {
        Path file = RunDirectory.lock(root, kernel);
        Path parent = file.getParent();
        if (parent != null) {
            DurableFiles.createDirectories(parent);
        }
        String title = "weaklink rebuild --kernel " + kernel;
        return LockFile.acquire(file, title, Duration.ZERO, holder -> {});
    }

    private Installed locked(TransactionGroup group) throws NotDoneException {
        boolean changed = false;
        try {
            Diagnosis damage = RunRecord.changed(outcome.manifest());
            if (damage != null) {
                throw new NotDoneException(damage.line());
            }
            PackageInstaller.InstallCommands way = way();
            if (way == null) {
                carryOut(List.copyOf(files()), group);
                return new Installed(List.of(), List.of(), List.of());
            }
            ExternalInstallation external = announce(way, group);
            settings.faults().at("before installing");
            endInterrupted();
            changed = true;
            List<PackageResult> missing = execute(way.steps());
            carryOut(List.of(), group);
            return new Installed(removal(external, missing), missing, leftOut(missing));
        } catch (IOException e) {
            throw notDone("cannot install: " + IoReason.of(e), !changed);
        } catch (NotDoneException e) {
            boolean undone = !changed && e.outcome() != FailureState.BROKEN;
            throw notDone("cannot install: " + e.getMessage(), undone);
        }
    }

    /**
     * Ends a dkms process that a killed weaklink left running. Ending dkms is safe: the caller has the lock of the
     * kernel's rebuilds, and DKMS can repeat an installation from any point. A package manager is left alone, because
     * it has its own lock and must not be interrupted.
     */
    private void endInterrupted() throws IOException {
        if (isDkms() && !installing(root, kernel, true).end(GRACE_MILLIS)) {
            throw new IOException("the dkms process of an interrupted installation for " + kernel
                    + " still runs and cannot be killed; try again when it has ended");
        }
    }

    /**
     * Ends the dkms process that a killed weaklink left running for a kernel, so that dkms cannot put modules back
     * after an undo. A package manager keeps running, because it must not be interrupted.
     *
     * @throws NotDoneException if another process rebuilds for the kernel, or if an interrupted installation still runs
     */
    public static void endInterrupted(Root root, String kernel) throws NotDoneException, IOException {
        if (isQuiet(root, kernel)) {
            return;
        }
        try (LockFile lock = lock(root, kernel)) {
            if (lock == null) {
                throw new NotDoneException("a rebuild is running for " + kernel + "; run undo when it has finished");
            }
            installing(root, kernel, true).end(GRACE_MILLIS);
            if (!isQuiet(root, kernel)) {
                throw new NotDoneException("the installation that an interrupted command began for " + kernel
                        + " still runs; run undo when it has finished");
            }
        }
    }

    private static boolean isQuiet(Root root, String kernel) throws IOException {
        return installing(root, kernel, true).members().isEmpty()
                && installing(root, kernel, false).members().isEmpty();
    }

    private static ProcessGroup installing(Root root, String kernel, boolean isDkms) throws IOException {
        return new ProcessGroup(MARK + "=" + mark(root, kernel, isDkms));
    }

    private static String mark(Root root, String kernel, boolean isDkms) throws IOException {
        return (isDkms ? "dkms:" : "packages:") + RunDirectory.lock(root, kernel);
    }

    private boolean isDkms() {
        return prepared.backend().id().equals("dkms");
    }

    private static NotDoneException notDone(String message, boolean isAsBefore) {
        return new NotDoneException(isAsBefore ? FailureState.ROLLED_BACK : FailureState.BROKEN, message);
    }

    /**
     * Records in the history that another program will install the modules. After an interruption, keeps the earlier
     * record, because only that record describes the original state.
     */
    private ExternalInstallation announce(PackageInstaller.InstallCommands way, TransactionGroup group)
            throws IOException, NotDoneException {
        String run = RunDirectory.name(outcome.directory());
        History history = History.read(root);
        ExternalInstallation earlier = history.external(run);
        if (earlier != null && !history.installed().contains(run)) {
            return earlier;
        }
        List<String> modules = List.copyOf(BuiltModule.names(outcome.manifest().modules()));
        ExternalInstallation external = new ExternalInstallation(run, modules, way.undo());
        runner.run(new LinkTransaction(title, List.of(), List.of(), List.of(), List.of(), List.of(external), group));
        return external;
    }

    private static List<String> removal(ExternalInstallation external, List<PackageResult> missing) {
        List<String> removal = new ArrayList<>(external.removal());
        for (PackageResult one : missing) {
            String words = " -m " + one.label().replace("/", " -v ") + " ";
            removal.removeIf(line -> line.contains(words));
        }
        return removal;
    }

    /** Installs the files, if there are any, and runs depmod. The history then lists the run as installed. */
    private void carryOut(List<Change> files, TransactionGroup group) throws IOException, NotDoneException {
        String run = RunDirectory.name(outcome.directory());
        boolean again = History.read(root).installed().contains(run);
        runner.run(new LinkTransaction(
                title, files, List.of(kernel), List.of(), again ? List.of() : List.of(run), List.of(), group));
    }

    /**
     * Returns the commands with which another program installs the modules; null if weaklink installs the files itself.
     */
    private PackageInstaller.@Nullable InstallCommands way() throws IOException, NotDoneException {
        List<Step> own = prepared.backend().installation(job(), replacing());
        if (!own.isEmpty()) {
            List<String> undo = new ArrayList<>();
            for (Step step : prepared.backend().removal(job())) {
                undo.add(step.commandLine());
            }
            return new PackageInstaller.InstallCommands(own, undo);
        }
        return new PackageInstaller(root, prepared.request().environment())
                .of(outcome.results().packages());
    }

    private Set<String> replacing() throws IOException {
        Set<String> present = present();
        Set<String> labels = new TreeSet<>();
        for (String label : job().packages()) {
            for (BuiltModule module : outcome.manifest().modules()) {
                if (isOf(label, module) && present.contains(module.name())) {
                    labels.add(label);
                }
            }
        }
        return labels;
    }

    private Set<String> present() throws IOException {
        Set<String> names = new TreeSet<>();
        ModuleBuilds.of(root, kernel, new ArrayList<>()).forEach(build -> names.add(build.name()));
        WeakUpdates.scan(root, kernel).links().forEach(link -> names.add(link.name()));
        return names;
    }

    private List<String> leftOut(List<PackageResult> missing) throws IOException {
        if (!isDkms()) {
            return List.of();
        }
        Set<String> left = new Installed(List.of(), missing, List.of()).names(outcome.manifest());
        left.removeAll(present());
        return new ArrayList<>(left);
    }

    /** Returns the job. If packages were built separately, the job contains only the packages that were built. */
    private Job job() {
        List<String> built = outcome.manifest().builtPackages();
        return built.isEmpty() ? prepared.job() : prepared.job().with(built);
    }

    /**
     * Runs the steps. Returns the packages that were not installed. Throws IOException if no step succeeds, or if a
     * step without a package ({@link Step#subject}) fails.
     */
    private List<PackageResult> execute(List<Step> steps) throws IOException {
        List<PackageResult> missing = new ArrayList<>();
        for (Step step : steps) {
            String reason = "";
            PackageResult.PackageState state = PackageResult.PackageState.FAILED;
            for (PackageResult other : missing) {
                if (step.needs().contains(other.label())) {
                    state = PackageResult.PackageState.SKIPPED;
                    reason = "needs " + other.label() + ": " + other.state().id();
                }
            }
            if (reason.isEmpty()) {
                reason = attempt(step);
                settings.faults().at("after a step of an installation");
            }
            if (!reason.isEmpty()) {
                missing.add(new PackageResult(step.subject(), state, reason));
            }
        }
        if (!missing.isEmpty() && missing.size() == steps.size()) {
            throw new IOException(missing.get(0).reason());
        }
        return missing;
    }

    private String attempt(Step step) throws IOException {
        try {
            execute(step);
            return "";
        } catch (IOException e) {
            if (step.subject().isEmpty()) {
                throw e;
            }
            return String.valueOf(e.getMessage());
        }
    }

    private void execute(Step step) throws IOException {
        Map<String, String> environment =
                new HashMap<>(ProgramSearch.complete(prepared.request().environment()));
        environment.putAll(step.environment());
        // The build's temporary directory no longer exists.
        environment.remove("TMPDIR");
        environment.put(MARK, mark(root, kernel, isDkms()));
        ExternalCommand.Result result = ExternalCommand.of(step.words(), LIMIT)
                .withEnvironment(environment)
                .run();
        if (!result.succeeded()) {
            List<String> lines = result.lines();
            String last = lines.isEmpty() ? "" : ": " + lines.get(lines.size() - 1);
            throw new IOException(step.words().get(0) + ": " + result.reason() + last);
        }
    }

    private List<Change.PutFile> files() throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, kernel);
        if (directory == null) {
            throw new IOException("there is no directory of modules for kernel " + kernel);
        }
        Placement placement = new Placement(
                kernel, prepared.evidence().platform(), outcome.manifest().before());
        Map<String, Path> files = new TreeMap<>();
        for (Path file : outcome.results().modules()) {
            files.put(directory.inside() + "/" + placement.of(file), file);
        }
        for (Path file : outcome.results().overrides()) {
            files.put("/etc/depmod.d/" + file.getFileName(), file);
        }
        List<Change.PutFile> changes = new ArrayList<>();
        files.forEach((inside, file) -> changes.add(new Change.PutFile(inside, file)));
        return changes;
    }

    /**
     * The choice of the path at which a built module is installed for a kernel.
     *
     * @param installed the out-of-tree modules that are installed for any kernel
     */
    private record Placement(String kernel, Platform platform, List<BuiltModule> installed) {
        /**
         * Returns the path of a module relative to {@code lib/modules/KERNEL}. If the module was unpacked from that
         * directory of a package, returns its path there. Otherwise, if the module is installed for any kernel, uses
         * the same subdirectory. A new module gets a directory of its own name below extra or updates.
         */
        String of(Path file) {
            String path = file.toString();
            String name = String.valueOf(file.getFileName());
            String marker = "/lib/modules/" + kernel + "/";
            int packed = path.lastIndexOf(marker);
            if (packed >= 0) {
                return path.substring(packed + marker.length());
            }
            String module = name.substring(0, name.indexOf('.'));
            for (BuiltModule present : installed) {
                if (present.name().equals(module.replace('-', '_'))) {
                    return directory(present.file()) + "/" + name;
                }
            }
            boolean red = platform.family() == Platform.Family.RED_HAT;
            return (red ? "extra/" : "updates/") + module + "/" + name;
        }

        /** Returns {@code extra/a} for {@code /lib/modules/K/extra/a/a.ko}. */
        private static String directory(String file) {
            int at = file.indexOf("/lib/modules/") + "/lib/modules/".length();
            return file.substring(file.indexOf('/', at) + 1, file.lastIndexOf('/'));
        }
    }

    private record PackageInstaller(Root root, Map<String, String> environment) {
        private static final Duration LIMIT = Duration.ofMinutes(1);
        private static final String DPKG_STATUS = "/var/lib/dpkg/status";

        /**
         * The commands of an installation.
         *
         * @param steps the steps that install
         * @param undo the commands or sentences that tell the administrator how to undo the installation
         */
        record InstallCommands(List<Step> steps, List<String> undo) {
            InstallCommands {
                steps = List.copyOf(steps);
                undo = List.copyOf(undo);
            }
        }

        /**
         * Returns the commands for these packages; null if there are no packages, if they are not all rpm or all deb
         * packages, or if the root has no database for them.
         */
        @Nullable
        InstallCommands of(List<Path> packages) throws IOException {
            if (packages.isEmpty()) {
                return null;
            }
            if (all(packages, ".rpm")) {
                List<String> tool = rpm();
                // A rebuilt package must replace the installed package even though both have the same version.
                return tool == null
                        ? null
                        : new InstallCommands(
                                step(tool, List.of("--upgrade", "--oldpackage", "--replacepkgs", "--force"), packages),
                                undo(tool, packages));
            }
            if (all(packages, ".deb") && Files.isRegularFile(root.resolve(DPKG_STATUS))) {
                List<String> tool = new ArrayList<>(List.of("dpkg"));
                tool.addAll(root.isHost() ? List.of() : List.of("--root=" + root.top()));
                return new InstallCommands(step(tool, List.of("--install"), packages), undo(tool, packages));
            }
            return null;
        }

        private static boolean all(List<Path> packages, String ending) {
            return packages.stream().allMatch(file -> file.toString().endsWith(ending));
        }

        /**
         * Returns the beginning of an rpm command; null if the root has no rpm database. For another root, the command
         * names the database's path, because the host's rpm may expect another path.
         */
        private @Nullable List<String> rpm() throws IOException {
            RpmDatabase database = RpmDatabase.find(root);
            if (database == null) {
                return null;
            }
            return root.isHost()
                    ? List.of("rpm")
                    : List.of("rpm", "--root", root.top().toString(), "--dbpath", root.inside(database.directory()));
        }

        private static List<Step> step(List<String> tool, List<String> options, List<Path> packages) {
            List<String> words = new ArrayList<>(tool);
            words.addAll(options);
            for (Path file : packages) {
                words.add(file.toString());
            }
            return List.of(new Step("installing packages", words, Map.of(), null));
        }

        private List<String> undo(List<String> tool, List<Path> packages) throws IOException {
            boolean rpm = tool.get(0).equals("rpm");
            List<String> fresh = new ArrayList<>();
            List<String> commands = new ArrayList<>();
            for (Path file : packages) {
                String name = name(file, rpm);
                String before = version(tool, name, rpm);
                if (before.isEmpty()) {
                    fresh.add(name);
                } else {
                    commands.add("install "
                            + name
                            + " "
                            + before
                            + " again from its earlier source: "
                            + again(name, before, rpm));
                }
            }
            if (!fresh.isEmpty()) {
                List<String> words = new ArrayList<>(tool);
                words.add(rpm ? "--erase" : "--remove");
                words.addAll(fresh);
                commands.add(0, new Step("", words, Map.of(), null).commandLine());
            }
            return commands;
        }

        private static String again(String name, String version, boolean rpm) {
            return rpm ? "dnf downgrade " + name + "-" + version : "apt-get install " + name + "=" + version;
        }

        private String name(Path file, boolean rpm) throws IOException {
            return ask(
                    rpm
                            ? List.of(
                                    "rpm",
                                    "--query",
                                    "--nosignature",
                                    "--queryformat",
                                    "%{NAME}",
                                    "--package",
                                    file.toString())
                            : List.of("dpkg-deb", "--field", file.toString(), "Package"));
        }

        private String version(List<String> tool, String name, boolean rpm) throws IOException {
            List<String> words = new ArrayList<>(tool);
            if (rpm) {
                words.addAll(List.of("--query", "--queryformat", "%{VERSION}-%{RELEASE}\\n", name));
            } else {
                words.set(0, "dpkg-query");
                words.addAll(List.of("--show", "--showformat", "${db:Status-Status} ${Version}\\n", name));
            }
            ExternalCommand.Result result = run(words);
            List<String> lines = result.lines();
            if (!result.succeeded() || lines.isEmpty()) {
                return "";
            }
            String last = lines.get(lines.size() - 1);
            return rpm ? last : last.startsWith("installed ") ? last.substring("installed ".length()) : "";
        }

        private String ask(List<String> words) throws IOException {
            ExternalCommand.Result result = run(words);
            List<String> lines = result.lines();
            if (!result.succeeded() || lines.isEmpty()) {
                throw new IOException(words.get(0) + ": " + result.reason());
            }
            return lines.get(lines.size() - 1);
        }

        private ExternalCommand.Result run(List<String> words) throws IOException {
            return ExternalCommand.of(words, LIMIT)
                    .withEnvironment(ProgramSearch.complete(environment))
                    .run();
        }
    }
}
