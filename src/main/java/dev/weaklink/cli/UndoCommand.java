package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.report.HistoryText;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.run.Installation;
import dev.weaklink.rebuild.run.KeptRun;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class UndoCommand implements Command {
    private final TransactionSettings transactions;

    UndoCommand(TransactionSettings transactions) {
        this.transactions = transactions;
    }

    private static final String DRY_RUN = "--dry-run";
    private static final String FORCE = "--force";

    @Override
    public void declare(CommandSpec spec) {
        spec.addPositional(Options.operand("0", "0..1", "NUMBER", List.of()));
        Options.addRoot(spec);
        spec.addOption(Options.flag(DRY_RUN));
        Options.addNoInitramfs(spec);
        spec.addOption(Options.flag(FORCE));
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        Path top = Options.root(parsed);
        Root root = Root.of(top);
        int number = number(parsed.matchedPositionalValue(0, (String) null));
        if (Options.isSet(parsed, DRY_RUN)) {
            return show(root, number, console);
        }
        LockFile.Holder rebuilding = LockFile.heldBy(TransactionGroup.lockFile(root));
        if (rebuilding != null) {
            // the rebuild would repeat the undone changes at its end
            console.message(Escape.text(rebuilding.words()) + " is rebuilding; run undo when it has finished");
            return ExitCode.UNUSABLE.number();
        }
        LinkChanges links = new LinkChanges(transactions);
        boolean initramfs = !Options.isSet(parsed, Options.NO_INITRAMFS);
        boolean force = Options.isSet(parsed, FORCE);
        TransactionMessages messages = new TransactionMessages(console);
        try {
            endInstallations(root);
            TransactionOutcome outcome = links.undo(root, number, force, initramfs, messages);
            if (outcome == null) {
                return unknown(root, number, console);
            }
            TransactionMessages.write(outcome, console);
            boolean complete = report(root, outcome.external(), console);
            console.out().flush();
            boolean forPeople = !Options.isSet(parsed, Options.QUIET);
            TransactionMessages.report(outcome, forPeople, top, console);
            boolean sound = tellBreaking(parsed, outcome.kernels(), console);
            if (!outcome.initramfsFailures().isEmpty()) {
                return ExitCode.BROKEN.number();
            }
            return (complete && sound ? ExitCode.COMPATIBLE : ExitCode.INCOMPATIBLE).number();
        } catch (NotDoneException e) {
            return TransactionMessages.failed(e, console).number();
        }
    }

    /**
     * Ends the installations that a killed weaklink left running, for each kernel with an installation in the history.
     */
    private static void endInstallations(Root root) throws IOException, NotDoneException {
        Set<String> kernels = new TreeSet<>();
        for (HistoryEntry entry : History.read(root).entries()) {
            entry.external().forEach(external -> kernels.add(external.kernel()));
        }
        for (String kernel : kernels) {
            Installation.endInterrupted(root, kernel);
        }
    }

    /**
     * Reports links and builds that keep other modules from loading, now or after the next depmod run.
     *
     * @return true if there are no such links or builds
     */
    private static boolean tellBreaking(ParseResult parsed, List<String> kernels, Console console) throws IOException {
        if (kernels.isEmpty()) {
            return true;
        }
        PlanRequest request = new PlanRequest(Options.root(parsed), kernels, ReadingOptions.of(parsed, console, null));
        List<String> breaking = new LinkManager().breaking(request);
        request.reading().cache().save();
        breaking.forEach(console::message);
        if (!breaking.isEmpty()) {
            console.hint("Next: weaklink plan" + PlanOptions.rootWords(Options.root(parsed)));
        }
        return breaking.isEmpty();
    }

    /**
     * Prints the commands that undo installations by other programs, last installation first.
     *
     * @return true if no commands are needed
     */
    private static boolean report(Root root, List<ExternalInstallation> installations, Console console)
            throws IOException {
        List<String> commands = new ArrayList<>();
        for (int i = installations.size() - 1; i >= 0; i--) {
            for (String command : KeptRun.removal(root, installations.get(i))) {
                // The command that runs depmod for a kernel follows the last removal for this kernel.
                commands.remove(command);
                commands.add(command);
            }
        }
        TableOptions table = new TableOptions(Terminal.DEFAULT_COLUMNS, false, false);
        console.print(new RebuildText(table)
                .facts("installed by another program; to remove the modules, run", commands)
                .text());
        return commands.isEmpty();
    }

    /**
     * Shows the changes that an undo would make. For an interrupted undo, shows the changes of that undo itself,
     * because recovery would finish it.
     */
    private static int show(Root root, int number, Console console) throws IOException {
        HistoryEntry interrupted;
        try {
            interrupted = number == 0 ? History.interrupted(root) : null;
        } catch (IOException e) {
            console.message(IoReason.of(e));
            return ExitCode.UNUSABLE.number();
        }
        History history = History.read(root);
        HistoryEntry last = interrupted == null ? history.last() : interrupted;
        HistoryEntry entry = number == 0 ? last : history.entry(number);
        if (entry == null) {
            return unknown(root, number, console);
        }
        if (entry == interrupted) {
            console.message("transaction " + entry.number() + " was interrupted (" + entry.title() + ")");
        }
        String text = entry == interrupted && entry.undoes() > 0
                ? HistoryText.changes(entry)
                : HistoryText.changesToUndo(entry);
        console.print(text);
        report(root, entry.undoes() > 0 ? List.of() : entry.external(), console);
        return ExitCode.COMPATIBLE.number();
    }

    private static int unknown(Root root, int number, Console console) throws IOException {
        List<String> problems = History.read(root).problems();
        if (number == 0 && problems.isEmpty()) {
            console.message("nothing to undo");
            return ExitCode.COMPATIBLE.number();
        }
        problems.forEach(console::message);
        console.message(
                number == 0
                        ? "nothing to undo in the part of the history that could be read"
                        : "no transaction " + number + "; 'weaklink history" + root.words()
                                + "' lists the transactions");
        return ExitCode.UNUSABLE.number();
    }

    /**
     * Returns the transaction's number. Returns 0 if no number was given, which selects the interrupted transaction or,
     * if there is none, the last one.
     */
    private static int number(@Nullable String word) {
        String wrong = "'" + word + "' is not a transaction number";
        return word == null ? 0 : Options.number(word, 1, wrong);
    }
}
