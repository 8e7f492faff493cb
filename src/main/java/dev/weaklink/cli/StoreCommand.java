package dev.weaklink.cli;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.StoreWriter;
import dev.weaklink.check.report.StoreText;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.KernelStore.StoreListing;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.kernel.store.StoreTransfer;
import dev.weaklink.report.Format;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.system.RepositoryKernel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class StoreCommand implements Command {
    @Override
    public Map<String, Command> commands() {
        Map<String, Command> commands = new LinkedHashMap<>();
        commands.put("list", new StoreListCommand());
        commands.put("add", new StoreAddCommand());
        commands.put("prune", new StorePruneCommand());
        commands.put("push", new StoreTransferCommand(true));
        commands.put("pull", new StoreTransferCommand(false));
        return commands;
    }

    static KernelStore open(ParseResult parsed) throws IOException {
        return StoreWriter.open(Options.root(parsed), Options.store(parsed));
    }

    static int status(boolean done) {
        return (done ? ExitCode.COMPATIBLE : ExitCode.UNUSABLE).number();
    }

    static List<StoreEntry> entries(KernelStore store, List<String> names, Console console) throws IOException {
        if (names.isEmpty()) {
            return store.entries();
        }
        List<StoreEntry> entries = new ArrayList<>();
        for (String name : names) {
            List<StoreEntry> named = store.named(name);
            if (named.isEmpty()) {
                console.message(name + ": no such kernel in " + store.directory());
            }
            entries.addAll(named);
        }
        return entries;
    }

    static boolean areAllThere(KernelStore store, List<String> names) throws IOException {
        for (String name : names) {
            if (store.named(name).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private static final class StoreAddCommand implements Command {
        private static final String REPOSITORY = "--from-repository";
        private static final String DRY_RUN = "--dry-run";
        private static final String URL = "file://";

        @Override
        public void declare(CommandSpec spec) {
            Options.addNames(spec, "K", "0..*");
            spec.addOption(Options.value("DIR", REPOSITORY));
            spec.addOption(Options.flag(DRY_RUN));
            Options.addStore(spec);
            Options.addJobs(spec);
        }

        @Override
        public int run(ParseResult parsed, Console console) throws IOException {
            String repository = Options.text(parsed, REPOSITORY);
            List<String> names = Options.names(parsed);
            boolean dryRun = Options.isSet(parsed, DRY_RUN);
            if (repository == null && dryRun || repository != null && !names.isEmpty()) {
                throw new UsageException(
                        repository == null
                                ? DRY_RUN + " needs " + REPOSITORY
                                : REPOSITORY + " cannot be combined with kernels (K)");
            }
            KernelStore store = StoreCommand.open(parsed);
            List<InputProblem> problems = new ArrayList<>();
            if (repository == null) {
                keep(store, names, parsed, console, problems);
            } else {
                for (RepositoryKernel kernel : StoreWriter.missing(store, directory(repository), problems)) {
                    if (dryRun) {
                        console.print(kernel.release() + ": " + String.join(" ", kernel.packages()) + "\n");
                    } else {
                        keep(store, kernel.packages(), parsed, console, problems);
                    }
                }
            }
            console.report(problems);
            return StoreCommand.status(problems.isEmpty());
        }

        private static void keep(
                KernelStore store,
                List<String> kernels,
                ParseResult parsed,
                Console console,
                List<InputProblem> problems)
                throws IOException {
            ReadOptions reading = ReadOptions.uncached(Options.jobs(parsed));
            for (StoreEntry entry : StoreWriter.keep(store, Options.root(parsed), kernels, reading, problems)) {
                console.print(entry.name() + "\n");
            }
        }

        private static String directory(String given) {
            if (given.startsWith(URL)) {
                return given.substring(URL.length());
            }
            if (given.contains("://")) {
                throw new UsageException(
                        given + ": not a directory; mirror the repository first, such as with 'dnf reposync'");
            }
            return given;
        }
    }

    private static final class StoreListCommand implements Command {

        @Override
        public void declare(CommandSpec spec) {
            Options.addStore(spec);
            OutputForm.addTo(spec, List.of(Format.TABLE, Format.JSON));
        }

        @Override
        public int run(ParseResult parsed, Console console) throws IOException {
            OutputForm form = OutputForm.of(parsed);
            KernelStore store = StoreCommand.open(parsed);
            StoreListing listing = store.list();
            console.report(listing.corrupt().stream()
                    .map(corrupt -> store.skipped(corrupt.entry(), corrupt.reason()))
                    .toList());
            return form.write(
                    out -> {
                        if (form.format() == Format.JSON) {
                            StoreText.write(listing, out);
                        } else {
                            out.write(StoreText.lines(listing).getBytes(StandardCharsets.UTF_8));
                        }
                    },
                    console,
                    StoreCommand.status(listing.corrupt().isEmpty()));
        }
    }

    private static final class StorePruneCommand implements Command {
        private static final String KEEP = "--keep";

        @Override
        public void declare(CommandSpec spec) {
            Options.addNames(spec, "KERNEL", "0..*");
            spec.addOption(Options.value("N", KEEP));
            Options.addStore(spec);
        }

        @Override
        public int run(ParseResult parsed, Console console) throws IOException {
            String given = Options.text(parsed, KEEP);
            String wrong = KEEP + " takes a number, not '" + given + "'";
            int keep = given == null ? Integer.MAX_VALUE : Options.number(given, 0, wrong);
            KernelStore store = StoreCommand.open(parsed);
            List<String> names = Options.names(parsed);
            List<StoreEntry> unwanted = new ArrayList<>();
            if (!names.isEmpty()) {
                unwanted.addAll(StoreCommand.entries(store, names, console));
                if (!StoreCommand.areAllThere(store, names)) {
                    console.message(
                            "nothing was removed; 'weaklink store list" + store.words() + "' lists the kernels");
                    return ExitCode.UNUSABLE.number();
                }
            }
            StoreListing listing = store.list();
            for (StoreListing.Corrupt corrupt : listing.corrupt()) {
                if (Files.isReadable(corrupt.entry().file())) {
                    unwanted.add(corrupt.entry());
                }
            }
            for (int i = 0; i < listing.kernels().size() - keep; i++) {
                unwanted.add(listing.kernels().get(i).entry());
            }
            for (StoreEntry entry : unwanted.stream().distinct().toList()) {
                store.remove(entry);
                console.print(entry.name() + "\n");
            }
            store.tidy();
            return ExitCode.COMPATIBLE.number();
        }
    }

    private static final class StoreTransferCommand implements Command {
        private final boolean push;

        StoreTransferCommand(boolean push) {
            this.push = push;
        }

        @Override
        public void declare(CommandSpec spec) {
            spec.addPositional(Options.operand("0", "1", "LIBRARY", List.of()));
            if (push) {
                spec.addPositional(Options.operands("1..*", "0..*", "KERNEL", List.of()));
            }
            Options.addStore(spec);
        }

        @Override
        public int run(ParseResult parsed, Console console) throws IOException {
            KernelStore store = StoreCommand.open(parsed);
            String library = parsed.matchedPositionalValue(0, "");
            List<String> moved = new ArrayList<>();
            StoreTransfer.Listener done = name -> {
                moved.add(name);
                console.print(name + "\n");
            };
            try {
                if (!push) {
                    StoreTransfer.at(library).pull(store, done);
                    return finished(moved, console);
                }
                List<String> names = parsed.matchedPositionalValue(1, List.<String>of());
                List<StoreEntry> entries = StoreCommand.entries(store, names, console);
                if (entries.isEmpty() || !StoreCommand.areAllThere(store, names)) {
                    console.message(store.directory()
                            + ": nothing was pushed: the store is empty, or lacks a kernel that you named; to list the"
                            + " store's kernels: weaklink store list"
                            + store.words()
                            + "; to add kernels: weaklink store add"
                            + store.words());
                    return StoreCommand.status(false);
                }
                StoreTransfer.at(library).push(store, entries, done);
                return finished(moved, console);
            } catch (IOException e) {
                console.message(library + ": " + IoReason.of(e));
                return StoreCommand.status(false);
            }
        }

        private static int finished(List<String> moved, Console console) throws IOException {
            if (moved.isEmpty()) {
                console.print("nothing new\n");
            }
            return StoreCommand.status(true);
        }
    }
}
