package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.report.HistoryText;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionOutcome.InitramfsFailure;
import dev.weaklink.sys.NotDoneException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

final class TransactionMessages implements TransactionListener {
    private final Console console;

    TransactionMessages(Console console) {
        this.console = console;
    }

    @Override
    public void depmod(String kernel) {
        progress("depmod " + kernel);
    }

    @Override
    public void initramfs(String kernel) {
        progress("renewing the initramfs of " + kernel);
    }

    private void progress(String what) {
        if (console.terminal().isTerminal(Console.STDERR)) {
            console.message(what);
        }
    }

    @Override
    public void warning(String message) {
        console.message(message);
    }

    static void write(@Nullable HistoryEntry recovered, Console console) throws IOException {
        if (recovered != null && recovered.isDone()) {
            console.print(HistoryText.summary(recovered.changes(), recovered.kernels()));
        }
    }

    static void write(TransactionOutcome outcome, Console console) throws IOException {
        console.print(HistoryText.summary(outcome.changes(), outcome.kernels()));
    }

    static void report(TransactionOutcome outcome, boolean forPeople, @Nullable Path root, Console console) {
        for (InitramfsFailure failure : outcome.initramfsFailures()) {
            console.message("the initramfs of " + failure.kernel() + " could not be renewed: " + failure.reason());
            for (String line : failure.output()) {
                console.hint("  " + line);
            }
        }
        if (forPeople && outcome.number() > 0) {
            console.message("done as transaction "
                    + outcome.number()
                    + "; to take it back: weaklink undo "
                    + outcome.number()
                    + PlanOptions.rootWords(root));
        }
    }

    static ExitCode failed(NotDoneException failure, Console console) {
        String message = String.valueOf(failure.getMessage());
        console.message(message);
        for (String detail : failure.details()) {
            if (!message.contains(detail)) {
                console.hint("  " + detail);
            }
        }
        return switch (failure.outcome()) {
            case REFUSED, ROLLED_BACK -> ExitCode.ROLLED_BACK;
            case BROKEN -> ExitCode.BROKEN;
        };
    }
}
