package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.run.KeptInstallation;
import dev.weaklink.rebuild.run.KeptInstallation.KeptInstalled;
import dev.weaklink.rebuild.run.KeptInstallation.KeptPlan;
import dev.weaklink.rebuild.run.PreparedRebuild;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** {@code weaklink rebuild --install=kept}: installs modules that trial builds have kept, and compiles nothing. */
final class RebuildKept {
    private final KeptInstallation installation;
    private final ParseResult parsed;
    private final Console console;

    RebuildKept(KeptInstallation installation, ParseResult parsed, Console console) {
        this.installation = installation;
        this.parsed = parsed;
        this.console = console;
    }

    /** Prints the commands that would be run, and the packages that DKMS would still build. */
    ExitCode preview() throws IOException, NotDoneException {
        KeptPlan plan = installation.plan();
        PreparedRebuild prepared = plan.prepared();
        if (prepared == null) {
            return left(List.of(), plan.tried(), plan.reason());
        }
        console.print(new RebuildText(ColorChoice.table(parsed, console, false))
                .prepared(prepared, true)
                .text());
        List<String> used = prepared.job().packages();
        List<String> left = new ArrayList<>(plan.tried());
        left.removeAll(used);
        return left(used, left, KeptInstallation.CHANGED);
    }

    ExitCode install(TransactionSettings transactions, Duration limit) throws IOException {
        boolean verbose = Options.isSet(parsed, Options.VERBOSE);
        RunListener listener = verbose ? new RebuildMessages(console, true) : new RunListener() {};
        KeptInstalled done;
        try {
            done = installation.run(listener, transactions, limit, VersionCommand.NUMBER);
        } catch (NotDoneException e) {
            console.message(installation.kernel() + ": no modules from trial builds were installed: " + e.getMessage());
            return e.outcome() == FailureState.BROKEN ? ExitCode.BROKEN : ExitCode.ROLLED_BACK;
        }
        if (!done.used().isEmpty()) {
            console.message(
                    installation.kernel() + ": installed modules from trial builds: " + String.join(", ", done.used()));
        }
        return left(done.used(), done.left(), done.reason());
    }

    private ExitCode left(List<String> used, List<String> left, String reason) throws IOException {
        if (!left.isEmpty()) {
            console.message(
                    installation.kernel() + ": DKMS must still build " + String.join(", ", left) + ": " + reason);
            return ExitCode.INCOMPATIBLE;
        }
        if (used.isEmpty()) {
            console.print(installation.kernel() + ": no modules from trial builds to install\n");
        }
        return ExitCode.COMPATIBLE;
    }
}
