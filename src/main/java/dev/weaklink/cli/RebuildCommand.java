package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.report.PlanTable;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.Backends;
import dev.weaklink.rebuild.Completeness;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.OpenWrtPackages;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.report.TrialText;
import dev.weaklink.rebuild.run.AfterInstallation;
import dev.weaklink.rebuild.run.EvidenceReader;
import dev.weaklink.rebuild.run.Installation;
import dev.weaklink.rebuild.run.KeptInstallation;
import dev.weaklink.rebuild.run.KeptRun;
import dev.weaklink.rebuild.run.Preparation;
import dev.weaklink.rebuild.run.PreparedRebuild;
import dev.weaklink.rebuild.run.RebuildOutcome;
import dev.weaklink.rebuild.run.RebuildPlanner;
import dev.weaklink.rebuild.run.RebuildRequest;
import dev.weaklink.rebuild.run.RebuildRun;
import dev.weaklink.rebuild.run.Repository;
import dev.weaklink.rebuild.run.SiteSettings;
import dev.weaklink.rebuild.run.TrialStatus;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledKernels;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

final class RebuildCommand implements Command {
    private final TransactionSettings transactions;
    private final CauseSource causes;

    RebuildCommand(TransactionSettings transactions, CauseSource causes) {
        this.transactions = transactions;
        this.causes = causes;
    }

    private static final String DRY_RUN = "--dry-run";
    private static final String INSTALL = "--install";
    private static final String TRY = "--try";
    private static final String STATUS = "--status";
    private static final String SOURCE = "--source";

    @Override
    public void declare(CommandSpec spec) {
        RebuildOptions.addTo(spec);
        spec.addOption(Options.flag(TRY));
        spec.addOption(Options.flag(STATUS));
        spec.addOption(Options.value("DIR", SOURCE));
        spec.addOption(Options.flag(DRY_RUN));
        spec.addOption(OptionSpec.builder(INSTALL)
                .type(String.class)
                .arity("0..1")
                .fallbackValue("")
                .paramLabel("RUN")
                .build());
        spec.addOption(CheckCommand.explain());
        spec.addOption(Options.flag("-v", Options.VERBOSE));
        Options.addColor(spec);
        Options.addJobs(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        try {
            if (Options.isSet(parsed, STATUS)) {
                return trialStatus(parsed, console);
            }
            if (Options.isSet(parsed, TRY) || Options.path(parsed, SOURCE) != null) {
                return trial(parsed, console);
            }
            OpenWrtPackages openWrt = EvidenceReader.openWrt(Options.root(parsed));
            if (openWrt != null) {
                return openWrt(openWrt, parsed, console);
            }
            String kept = Options.text(parsed, INSTALL);
            if (KeptInstallation.WORD.equals(kept)) {
                return installKeptTrials(parsed, console);
            }
            if (kept != null && !kept.isEmpty()) {
                return installKept(kept, parsed, console);
            }
            PreparedRebuild prepared = Preparation.prepare(RebuildOptions.request(parsed, console));
            RebuildText text = new RebuildText(table(parsed, console));
            if (Options.isSet(parsed, DRY_RUN) || prepared.isBlocked()) {
                text.prepared(prepared, Options.isSet(parsed, DRY_RUN));
                explain(prepared, text, parsed, console);
                print(text, console);
                boolean refused = !Options.isSet(parsed, DRY_RUN);
                return (refused
                                ? ExitCode.ROLLED_BACK
                                : prepared.isBlocked() ? ExitCode.INCOMPATIBLE : ExitCode.COMPATIBLE)
                        .number();
            }
            explain(prepared, text, parsed, console);
            print(text, console);
            return build(prepared, parsed, console);
        } catch (NotDoneException e) {
            console.message(String.valueOf(e.getMessage()));
            return ExitCode.UNUSABLE.number();
        }
    }

    private static int trial(ParseResult parsed, Console console) throws IOException, NotDoneException {
        Path source = Options.path(parsed, SOURCE);
        if (!Options.isSet(parsed, TRY)) {
            throw new UsageException(SOURCE + " needs --try: weaklink rebuild --try --source DIR --kernel K");
        }
        RebuildOptions.checkTrial(parsed);
        RebuildTrial trial = new RebuildTrial(parsed, console);
        List<String> kernels = Options.texts(parsed, RebuildOptions.KERNEL);
        if (source != null) {
            return trial.source(source, kernels, RebuildOptions.limit(parsed, console));
        }
        if (RebuildOptions.isCommand(parsed)) {
            return trial.command(
                    RebuildOptions.request(parsed, "", console), kernels, RebuildOptions.limit(parsed, console));
        }
        return trial.run(
                kernels, parsed.matchedPositionalValue(0, List.<String>of()), RebuildOptions.limit(parsed, console));
    }

    private static int trialStatus(ParseResult parsed, Console console) throws IOException {
        if (!Options.isSet(parsed, TRY)) {
            throw new UsageException(STATUS + " needs --try: weaklink rebuild --try --status");
        }
        console.print(
                new TrialText(table(parsed, console)).status(TrialStatus.read()).text());
        return ExitCode.COMPATIBLE.number();
    }

    private int installKeptTrials(ParseResult parsed, Console console) throws IOException, NotDoneException {
        RebuildOptions.checkKept(parsed);
        String kernel = RebuildOptions.kernel(parsed);
        if (InstalledKernels.directory(Root.of(null), kernel) == null) {
            throw new UsageException(
                    "--kernel " + kernel + ": no such kernel in /lib/modules; give an installed release");
        }
        KeptInstallation installation = new KeptInstallation(kernel, console.environment(), Options.jobs(parsed));
        RebuildKept command = new RebuildKept(installation, parsed, console);
        return (Options.isSet(parsed, DRY_RUN)
                        ? command.preview()
                        : command.install(transactions, RebuildOptions.limit(parsed, console)))
                .number();
    }

    private int installKept(String run, ParseResult parsed, Console console) throws IOException, NotDoneException {
        KeptRun kept = KeptRun.find(RebuildOptions.request(parsed, console), run);
        RebuildOutcome outcome = kept.judge();
        if (outcome == null) {
            return busy(kept.prepared(), console);
        }
        return finish(kept.prepared(), outcome, parsed, console);
    }

    private void explain(PreparedRebuild prepared, RebuildText text, ParseResult parsed, Console console)
            throws IOException {
        if (!Options.isSet(parsed, CheckCommand.EXPLAIN)) {
            return;
        }
        Job.BuildPlace place = prepared.job().place();
        ReadOptions reading = ReadingOptions.of(parsed, console, causes);
        PlanRequest request =
                new PlanRequest(Options.root(parsed), List.of(place.kernel()), null, List.of(), reading, false, true);
        List<RebuildGroup> groups = RebuildPlanner.groups(new LinkManager().plan(request)).stream()
                .filter(group -> group.backend().equals(prepared.backend().id()))
                .toList();
        text.why(groups);
    }

    private static int busy(PreparedRebuild prepared, Console console) {
        console.message(
                "another rebuild has just started for " + prepared.job().place().kernel());
        return ExitCode.ROLLED_BACK.number();
    }

    private static List<String> offer(
            PreparedRebuild prepared, RebuildOutcome outcome, Path repository, Console console) {
        try {
            return new Repository(repository, prepared.request().environment())
                    .fill(prepared.job().place().kernel(), prepared.evidence().bundle(), outcome.results());
        } catch (IOException e) {
            console.message(repository + ": cannot make the repository: " + IoReason.of(e));
            return List.of();
        }
    }

    /** Prints the packages to build. OpenWrt builds modules with its SDK on another machine. */
    private static int openWrt(OpenWrtPackages packages, ParseResult parsed, Console console) throws IOException {
        String kernel = RebuildOptions.kernel(parsed);
        String installed = packages.release();
        if (!installed.isEmpty() && !installed.equals(kernel)) {
            console.message(kernel
                    + ": not the installed kernel ("
                    + installed
                    + "), and OpenWrt's module packages fit only their own firmware; install the firmware of "
                    + kernel
                    + " with its own packages (sysupgrade), or use --kernel "
                    + installed);
            return ExitCode.UNUSABLE.number();
        }
        print(new RebuildText(table(parsed, console)).openWrt(kernel, packages), console);
        return (packages.foreign().isEmpty() ? ExitCode.UNDETERMINED : ExitCode.INCOMPATIBLE).number();
    }

    private static TableOptions table(ParseResult parsed, Console console) {
        return ColorChoice.table(parsed, console, false);
    }

    private static void print(RebuildText text, Console console) throws IOException {
        console.print(text.text());
    }

    private int build(PreparedRebuild prepared, ParseResult parsed, Console console)
            throws IOException, NotDoneException {
        RebuildMessages messages = new RebuildMessages(console, Options.isSet(parsed, Options.VERBOSE));
        messages.obstacles(prepared.obstacles());
        RebuildOutcome outcome =
                new RebuildRun(prepared, messages, VersionCommand.NUMBER).run(RebuildOptions.limit(parsed, console));
        return outcome == null ? busy(prepared, console) : finish(prepared, outcome, parsed, console);
    }

    private int finish(PreparedRebuild prepared, RebuildOutcome outcome, ParseResult parsed, Console console)
            throws IOException, NotDoneException {
        RebuildText text = new RebuildText(table(parsed, console));
        say(outcome, prepared, text);
        Path repository = RebuildOptions.repository(parsed);
        if (repository != null && outcome.isUsable()) {
            text.facts("repository", offer(prepared, outcome, repository, console));
        }
        if (Options.isSet(parsed, DRY_RUN) && outcome.isUsable()) {
            text.facts("would install", new Installation(prepared, outcome, transactions, "", line -> {}).preview());
        }
        boolean installs = Options.isSet(parsed, INSTALL) && !Options.isSet(parsed, DRY_RUN);
        if (!installs && outcome.isUsable()) {
            text.facts("to install", List.of(prepared.installing()));
        }
        print(text, console);
        if (!installs || !outcome.isUsable()) {
            return outcome.exitCode().number();
        }
        console.out().flush();
        ExitCode installed =
                new RebuildInstallation(prepared, outcome, console, transactions).run(table(parsed, console));
        return (installed == ExitCode.COMPATIBLE ? outcome.exitCode() : installed).number();
    }

    private static void say(RebuildOutcome outcome, PreparedRebuild prepared, RebuildText text) {
        String kernel = prepared.job().place().kernel();
        CheckReport check = outcome.results().check();
        if (check != null) {
            text.built(kernel, check, wantsSignatures(prepared) ? outcome.unsigned() : List.of());
        }
        Completeness completeness = outcome.results().completeness();
        if (completeness != null && !completeness.dependants().isEmpty()) {
            text.facts("uses rebuilt modules, but was not rebuilt", completeness.dependants());
        }
        if (completeness != null && !completeness.allowed().isEmpty()) {
            text.facts("missing from the result (allowed)", completeness.allowed());
        }
        Diagnosis failure = outcome.failure();
        if (failure != null) {
            text.failure(kernel, prepared.backend().id(), failure);
        } else {
            text.facts("result", strings(outcome.results().files()));
        }
        text.packages(outcome.manifest().packages());
        text.facts("log and results", List.of(outcome.directory().toString()));
    }

    /**
     * Returns whether missing signatures matter: the kernel enforces signatures, or the environment names a signing
     * key.
     */
    private static boolean wantsSignatures(PreparedRebuild prepared) {
        for (Obstacle obstacle : prepared.obstacles()) {
            if (obstacle.id().equals("signing")) {
                return true;
            }
        }
        return prepared.request().environment().containsKey("MODULE_SIGN_PRIV_KEY");
    }

    private static List<String> strings(List<Path> paths) {
        return paths.stream().map(Path::toString).toList();
    }

    private static final class RebuildInstallation {
        private final PreparedRebuild prepared;
        private final RebuildOutcome outcome;
        private final Console console;
        private final TransactionSettings transactions;

        RebuildInstallation(
                PreparedRebuild prepared, RebuildOutcome outcome, Console console, TransactionSettings transactions) {
            this.prepared = prepared;
            this.outcome = outcome;
            this.console = console;
            this.transactions = transactions;
        }

        ExitCode run(TableOptions table) throws IOException {
            Installation.Installed installed;
            TransactionGroup group = TransactionGroup.begin(prepared.root(), title());
            try {
                installed = new Installation(prepared, outcome, transactions, title(), console::message).run(group);
            } catch (NotDoneException e) {
                console.message(String.valueOf(e.getMessage()));
                return e.outcome() == FailureState.BROKEN ? ExitCode.BROKEN : ExitCode.ROLLED_BACK;
            }
            AfterInstallation.InstalledState state = AfterInstallation.look(prepared, outcome.manifest(), installed);
            List<String> undo = new ArrayList<>(installed.undo());
            if (undo.isEmpty()) {
                undo.add("weaklink undo"
                        + PlanOptions.rootWords(prepared.request().root()));
            }
            console.print(new RebuildText(table)
                    .packages(installed.missing())
                    .installed(prepared.job().place().kernel(), state.check(), state.modules())
                    .facts(
                            "not installed by DKMS (usually because the kernel has its own version)",
                            installed.leftOut())
                    .facts("initramfs", state.initramfs())
                    .facts("to undo", undo)
                    .text());
            if (!state.plan().plan().changesNothing()) {
                console.print(new PlanTable(table).render(state.plan().plan()));
                return links(installed, state, group, table);
            }
            return code(installed, state);
        }

        private String title() {
            return "weaklink rebuild --kernel " + prepared.job().place().kernel() + " --install";
        }

        private static ExitCode code(Installation.Installed installed, AfterInstallation.InstalledState state) {
            if (state.check().tally().incompatible() > 0) {
                return ExitCode.BROKEN;
            }
            return installed.missing().isEmpty() ? state.check().exitCode() : ExitCode.INCOMPATIBLE;
        }

        private ExitCode links(
                Installation.Installed installed,
                AfterInstallation.InstalledState state,
                TransactionGroup group,
                TableOptions table)
                throws IOException {
            console.out().flush();
            try {
                TransactionOutcome done = new LinkChanges(transactions)
                        .apply(state.plan(), title(), false, group, new TransactionMessages(console));
                TransactionMessages.report(done, false, prepared.request().root(), console);
                console.print(new RebuildText(table).links(done.changes()).text());
                return code(installed, state);
            } catch (NotDoneException e) {
                TransactionMessages.failed(e, console);
                return ExitCode.BROKEN;
            }
        }
    }

    private static final class RebuildOptions {
        static final String KERNEL = "--kernel";
        private static final String PRODUCT = "--product";
        private static final String BUNDLE = "--bundle";
        private static final String BACKEND = "--backend";
        private static final String PACKAGE = "--package";
        private static final String BUILD_TREE = "--build-tree";
        private static final String WORK = "--work";
        private static final String REPOSITORY = "--repository";
        private static final String DISTRO = "--distro";
        private static final String SKIP_REPO = "--skip-repo";
        private static final String NO_KMP = "--no-kmp";
        private static final String RESULTS = "--results";
        private static final String SET = "--set";
        private static final String ALLOW_MISSING = "--allow-missing";
        private static final String TIME_LIMIT = "--time-limit";
        private static final List<String> NOT_IN_TRIALS =
                List.of(DRY_RUN, INSTALL, CheckCommand.EXPLAIN, REPOSITORY, RESULTS, BUILD_TREE, WORK, ALLOW_MISSING);
        private static final List<String> ONLY_IN_COMMAND_TRIALS = List.of(SET, DISTRO, SKIP_REPO, NO_KMP);

        private RebuildOptions() {}

        static void addTo(CommandSpec spec) {
            spec.addOption(Options.values("K", KERNEL));
            spec.addOption(Options.value("P", PRODUCT));
            spec.addOption(Options.value("PATH", BUNDLE));
            Options.addRoot(spec);
            spec.addOption(Options.choice(Backends.ids(), BACKEND));
            spec.addOption(Options.values("NAME[/VERSION]", PACKAGE));
            spec.addOption(Options.value("DIR", BUILD_TREE));
            spec.addOption(Options.value("DIR", WORK));
            spec.addOption(Options.value("MINUTES", TIME_LIMIT));
            spec.addOption(Options.values("MODULE[,MODULE...]", ALLOW_MISSING));
            spec.addOption(Options.value("NAME", DISTRO));
            spec.addOption(Options.value("DIR", REPOSITORY));
            spec.addOption(Options.flag(SKIP_REPO));
            spec.addOption(Options.flag(NO_KMP));
            spec.addOption(Options.value("DIR", RESULTS));
            spec.addOption(Options.values("NAME=VALUE", SET));
            spec.addPositional(Options.operands("WORD"));
        }

        /** Returns whether the rebuild uses an installation image of Mellanox or another backend than DKMS. */
        static boolean isCommand(ParseResult parsed) {
            String backend = Options.text(parsed, BACKEND);
            return Options.path(parsed, BUNDLE) != null || (backend != null && !backend.equals("dkms"));
        }

        /** Refuses options that a trial would ignore. The trial would build something else than the user expects. */
        static void checkTrial(ParseResult parsed) {
            for (String option : NOT_IN_TRIALS) {
                if (Options.isSet(parsed, option)) {
                    throw new UsageException("--try takes no " + option);
                }
            }
            for (String option : ONLY_IN_COMMAND_TRIALS) {
                if (Options.isSet(parsed, option) && !isCommand(parsed)) {
                    throw new UsageException("--try takes " + option + " only with --bundle or --backend");
                }
            }
            if (Options.isSet(parsed, PACKAGE) || (Options.isSet(parsed, PRODUCT) && !isCommand(parsed))) {
                throw new UsageException("--try takes no --package, and --product only with --bundle or --backend; to"
                        + " name DKMS packages: weaklink rebuild --try NAME[/VERSION]...");
            }
            if (Options.isSet(parsed, SOURCE) && (isCommand(parsed) || parsed.hasMatchedPositional(0))) {
                throw new UsageException(SOURCE + " cannot be combined with a DKMS package, --bundle or --backend");
            }
        }

        static void checkKept(ParseResult parsed) {
            List<String> others = new ArrayList<>(ONLY_IN_COMMAND_TRIALS);
            others.addAll(List.of(CheckCommand.EXPLAIN, REPOSITORY, RESULTS, BUILD_TREE, WORK, ALLOW_MISSING));
            others.addAll(List.of(PRODUCT, BUNDLE, BACKEND, PACKAGE, Options.ROOT));
            for (String option : others) {
                if (Options.isSet(parsed, option)) {
                    throw new UsageException(INSTALL + "=" + KeptInstallation.WORD + " takes no " + option);
                }
            }
        }

        static RebuildRequest request(ParseResult parsed, Console console) {
            return request(parsed, kernel(parsed), console);
        }

        static RebuildRequest request(ParseResult parsed, String kernel, Console console) {
            String backend = Options.text(parsed, BACKEND);
            Path results = Options.path(parsed, RESULTS);
            List<String> words = parsed.matchedPositionalValue(0, List.<String>of());
            boolean own = "command".equals(backend);
            return new RebuildRequest(
                    Options.root(parsed),
                    kernel,
                    Options.text(parsed, PRODUCT),
                    Options.path(parsed, BUNDLE),
                    backend == null ? null : Options.word(parsed, BACKEND, Backends.ids()),
                    Options.texts(parsed, PACKAGE),
                    Options.path(parsed, BUILD_TREE),
                    Options.path(parsed, WORK),
                    new Job.Settings(
                            Options.text(parsed, DISTRO),
                            Options.isSet(parsed, SKIP_REPO),
                            !Options.isSet(parsed, NO_KMP),
                            own ? List.of() : words),
                    new RebuildHint.SiteCommand(
                            own ? words : List.of(),
                            variables(parsed),
                            results == null
                                    ? null
                                    : results.toAbsolutePath().normalize().toString()),
                    allowedMissing(parsed),
                    console.environment(),
                    Options.jobs(parsed));
        }

        /**
         * Returns the release to build for.
         *
         * @throws UsageException if the release is missing, repeated or invalid
         */
        static String kernel(ParseResult parsed) {
            List<String> kernels = Options.texts(parsed, KERNEL);
            if (kernels.size() != 1 || kernels.get(0).isEmpty()) {
                throw new UsageException(
                        kernels.size() > 1
                                ? "--kernel can be given once; only --try builds for several kernels"
                                : "--kernel K is required: the release to build for");
            }
            String kernel = kernels.get(0);
            if (kernel.startsWith(".") || kernel.startsWith("-") || kernel.indexOf('/') >= 0) {
                throw new UsageException("--kernel " + kernel + ": not a kernel release");
            }
            return kernel;
        }

        static @Nullable Path repository(ParseResult parsed) {
            return Options.path(parsed, REPOSITORY);
        }

        static Duration limit(ParseResult parsed, Console console) throws IOException, NotDoneException {
            String given = Options.text(parsed, TIME_LIMIT);
            String wrong = TIME_LIMIT + " takes a whole number of minutes, 1 or more, not '" + given + "'";
            return given == null
                    ? SiteSettings.limit(Root.of(Options.root(parsed)), console.environment())
                    : Duration.ofMinutes(Options.number(given, 1, wrong));
        }

        private static List<String> allowedMissing(ParseResult parsed) {
            List<String> names = new ArrayList<>();
            for (String given : Options.texts(parsed, ALLOW_MISSING)) {
                for (String name : given.split(",", -1)) {
                    if (!isName(name)) {
                        throw new UsageException(
                                ALLOW_MISSING + " takes names of modules, such as mlx4_core; not '" + given + "'");
                    }
                    names.add(name);
                }
            }
            return names;
        }

        private static boolean isName(String name) {
            for (int i = 0; i < name.length(); i++) {
                char c = name.charAt(i);
                if (!(Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '+')) {
                    return false;
                }
            }
            return !name.isEmpty();
        }

        private static Map<String, String> variables(ParseResult parsed) {
            Map<String, String> variables = new TreeMap<>();
            for (String setting : Options.texts(parsed, SET)) {
                int equals = setting.indexOf('=');
                if (equals < 1 || setting.indexOf(0) >= 0) {
                    throw new UsageException(SET + " takes NAME=VALUE, not '" + setting + "'");
                }
                variables.put(setting.substring(0, equals), setting.substring(equals + 1));
            }
            return variables;
        }
    }
}
