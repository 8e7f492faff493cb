package dev.weaklink.compat;

import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.compat.DialectCommit.Planning;
import dev.weaklink.compat.SuseOptions.SuseAction;
import dev.weaklink.compat.SuseRun.KmpDatabase;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.DatabaseCopy;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.RpmDatabase;
import dev.weaklink.system.WeakUpdates;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

public final class SuseDialect {
    public static final String NAME = "weak-modules2";

    private static final int DONE = 0;
    private static final int FAILED = 1;

    private final StandardStreams streams;
    private final Map<String, String> environment;
    private final TransactionSettings transactions;
    private final String rpm;

    public SuseDialect(StandardStreams streams, Map<String, String> environment, TransactionSettings transactions) {
        this.streams = streams;
        this.environment = environment;
        this.transactions = transactions;
        this.rpm = "rpm";
    }

    /**
     * Runs the command with the given arguments.
     *
     * @return 1 if the arguments are invalid or something failed, else 0, even if no module is compatible
     * @throws IOException if standard output cannot be written
     */
    public int run(List<String> words) throws IOException {
        SuseOptions options = SuseOptions.parse(words);
        if (options.error() != null) {
            String error = options.error();
            streams.log(error.startsWith("ERROR") ? error : NAME + ": " + error);
            streams.err().print(SuseOptions.USAGE);
            return FAILED;
        }
        SuseAction action = options.action();
        if (options.help() != null || action == null) {
            streams.print(String.valueOf(options.help()));
            return DONE;
        }
        try {
            BaseDirectory base = options.basedir() == null
                    ? BaseDirectory.host()
                    : BaseDirectory.of(streams.directory().resolve(options.basedir()));
            SuseSettings settings = SuseSettings.of(environment, base.root());
            return logged(action, options, base, settings);
        } catch (IOException e) {
            streams.log("ERROR: " + describe(e));
            return FAILED;
        }
    }

    private static String describe(IOException e) {
        String file = e instanceof FileSystemException f && f.getFile() != null ? f.getFile() : "";
        return file.isEmpty() ? IoReason.of(e) : file + ": " + IoReason.of(e);
    }

    private int logged(SuseAction action, SuseOptions options, BaseDirectory base, SuseSettings settings)
            throws IOException {
        String name = options.logfile() == null ? settings.logfile() : options.logfile();
        if (name == null || name.isEmpty() || options.dryRun()) {
            return run(action, options, base, settings, streams);
        }
        String inside = name.startsWith("/") ? name : "/var/log/" + name;
        streams.log(NAME + ": appending output to " + inside);
        try (PrintStream file = new PrintStream(
                new FileOutputStream(base.root().resolve(inside).toFile(), true), true, StandardCharsets.UTF_8)) {
            StandardStreams redirected =
                    new StandardStreams(NAME, streams.in(), streams.out(), file, streams.directory());
            return run(action, options, base, settings, redirected);
        }
    }

    private int run(
            SuseAction action, SuseOptions options, BaseDirectory base, SuseSettings settings, StandardStreams messages)
            throws IOException {
        int verbose = settings.verbose() + options.verbose();
        SuseLog log = new SuseLog(messages, verbose, settings.debug() || options.debug());
        String subject = options.subject() == null ? new RootText(Root.HOST).runningKernel() : options.subject();
        SuseInitrds initrds = new SuseInitrds(base.root(), settings, log);
        DialectCommit commit = new DialectCommit(messages, base, transactions.withDepmod(settings.depmod()));
        if (!commit.recover(options.dryRun())) {
            return FAILED;
        }
        List<String> files = switch (action) {
            // Read the list even where it is not used: otherwise the writer fails with a broken pipe.
            case REMOVE_KMP, ADD_KERNEL_MODULES, REMOVE_KERNEL_MODULES ->
                ModulePaths.read(streams.in(), streams.directory());
            default -> List.of();
        };
        String title = NAME + " --" + action.id() + " " + subject;
        Planning planning = () -> {
            PendingChanges work = work(action, subject, files, log, base, commit, initrds);
            if (work == null) {
                return null;
            }
            for (String kernel : commit.installed(work)) {
                log.note("depmod -a " + kernel);
            }
            if (!options.dryRun()) {
                initrds.leaveFlags();
            }
            return commit.transaction(title, work, initrds.steps());
        };
        boolean ofKmp = action == SuseAction.ADD_KMP || action == SuseAction.REMOVE_KMP;
        if (options.dryRun() || !ofKmp && commit.isNowhere(subject)) {
            return planning.make() == null ? FAILED : DONE;
        }
        if (!commit.run(title, planning)) {
            initrds.askForSteps();
            return FAILED;
        }
        if (action == SuseAction.REMOVE_KERNEL) {
            removeShell(base, subject);
        }
        return DONE;
    }

    private @Nullable PendingChanges work(
            SuseAction action,
            String subject,
            List<String> files,
            SuseLog log,
            BaseDirectory base,
            DialectCommit commit,
            SuseInitrds initrds)
            throws IOException {
        SuseRun run = new SuseRun(log, base, new KmpQuery(base.root(), rpm), trust(base.root()));
        PendingChanges work = switch (action) {
            case ADD_KMP -> run.addKmp(subject);
            case REMOVE_KMP -> run.removeKmp(subject, files);
            case REMOVE_KERNEL -> run.removeKernel(subject);
            case ADD_KERNEL, ADD_KERNEL_MODULES, REMOVE_KERNEL_MODULES -> run.kernelChanged(subject);
        };
        if (work != null) {
            commit.addPending(work);
        }
        if (work != null && (action == SuseAction.ADD_KMP || action == SuseAction.REMOVE_KMP)) {
            initrds.plan(work.modules(), action == SuseAction.REMOVE_KMP);
        } else if (work != null && action != SuseAction.REMOVE_KERNEL) {
            initrds.planWhole(work.kernels());
        }
        return work;
    }

    /**
     * Returns the signature policy. In a build environment, this machine's firmware and keys do not count, because the
     * resulting packages or images are for other machines.
     */
    private static SignaturePolicy trust(Root root) throws IOException {
        return Files.exists(root.resolve("/.buildenv")) ? SignaturePolicy.OF_KERNELS : SignaturePolicy.in(root);
    }

    private static void removeShell(BaseDirectory base, String kernel) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(base.root(), kernel);
        if (directory == null || directory.isKernel()) {
            return;
        }
        try {
            Files.deleteIfExists(directory.host().resolve(WeakUpdates.NAME));
            Files.delete(directory.host());
        } catch (DirectoryNotEmptyException | NoSuchFileException e) {
            // The directory contains other files and stays.
        }
    }

    /**
     * Queries rpm(8) with one command for all packages named {@code *-kmp-*}. For another root directory, rpm reads a
     * copy of that directory's database.
     */
    private record KmpQuery(Root root, String program) implements KmpDatabase {
        private static final Duration LIMIT = Duration.ofMinutes(5);
        private static final int OUTPUT_LIMIT = 32 << 20;
        private static final String FORMAT =
                "N\t%{NAME}\t%{VERSION}\t%{RELEASE}\n[P\t%{PROVIDENAME}\n][F\t%{FILENAMES}\n]";

        @Override
        public List<Kmp> ofFlavor(String flavor, List<String> problems) throws IOException {
            List<Kmp> kmps = new RpmAnswer(flavor, problems).read(answer());
            kmps.sort(Kmp.NEWEST_FIRST);
            return kmps;
        }

        private List<String> answer() throws IOException {
            if (root.isHost()) {
                return run(List.of());
            }
            RpmDatabase database = RpmDatabase.find(root);
            if (database == null) {
                throw new IOException("no RPM database in " + root);
            }
            try (DatabaseCopy copy = database.copy()) {
                return run(List.of("--dbpath", copy.directory().toString()));
            }
        }

        private List<String> run(List<String> where) throws IOException {
            List<String> words = new ArrayList<>(List.of(program));
            words.addAll(where);
            words.addAll(List.of("-qa", "--nodigest", "--nosignature", "--qf", FORMAT));
            // The pattern omits the flavor: a flavor can be part of a directory's name, which could contain glob
            // characters.
            words.add("*-kmp-*");
            ExternalCommand.Result result;
            try {
                result = ExternalCommand.of(words, LIMIT)
                        .withOutputLimit(OUTPUT_LIMIT)
                        .run();
            } catch (IOException e) {
                throw new IOException(program + " cannot be run: " + IoReason.of(e), e);
            }
            if (!result.succeeded()) {
                List<String> lines = result.lines();
                String last = lines.isEmpty() ? "" : ": " + lines.get(lines.size() - 1);
                throw new IOException(program + " failed (" + result.reason() + ")" + last);
            }
            if (result.truncated()) {
                throw new IOException(program + " lists more than " + OUTPUT_LIMIT + " bytes");
            }
            return result.lines();
        }
    }

    /**
     * The messages of weak-modules2, on standard error or in the log file.
     *
     * @param verbose the level of verbosity: 0 for required messages only, 1 for actions too, 2 for reasons too
     */
    record SuseLog(StandardStreams streams, int verbose, boolean debug) {
        void say(String line) {
            streams.log(line);
        }

        void note(String line) {
            if (verbose > 0) {
                streams.log(line);
            }
        }

        void explain(Iterable<String> lines) {
            if (debug || verbose > 1) {
                for (String line : lines) {
                    streams.log(line);
                }
            }
        }
    }
}
