package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.hold.HoldReport;
import dev.weaklink.hold.HoldRun;
import dev.weaklink.hold.HoldText;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.FailureState;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class HoldCommand implements Command {
    private static final String DRY_RUN = "--dry-run";
    private static final String OFF = "--off";

    @Override
    public void declare(CommandSpec spec) {
        spec.addOption(Options.flag(DRY_RUN));
        spec.addOption(Options.flag(OFF));
        spec.addOption(Options.flag(CheckCommand.UNITS));
        Options.addStore(spec);
        OutputForm.addTo(spec, List.of(Format.TABLE, Format.JSON));
        Options.addColor(spec);
        Options.addVerbose(spec);
        Options.addJobs(spec);
        Options.addNoCache(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        if (Options.isSet(parsed, OFF)) {
            return off(Root.of(Options.root(parsed)), Options.isSet(parsed, DRY_RUN), console);
        }
        OutputForm form = OutputForm.of(parsed);
        TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
        CheckRequest request = request(parsed, console);
        HoldReport report;
        try {
            report = new HoldRun(request, console.environment())
                    .run(Options.isSet(parsed, DRY_RUN), other -> waiting(other, console));
        } catch (NotDoneException e) {
            return notDone(e, console);
        }
        request.reading().cache().save();
        console.report(report.problems());
        int status = report.exitCode().number();
        Root root = Root.of(request.root());
        boolean units = Options.isSet(parsed, CheckCommand.UNITS);
        return form.write(
                out -> out.write(
                        form.format() == Format.JSON
                                ? report.json()
                                : (units ? HoldText.units(report, root) : new HoldText(options, root).render(report))
                                        .getBytes(StandardCharsets.UTF_8)),
                console,
                status);
    }

    private static int off(Root root, boolean dryRun, Console console) throws IOException {
        if (dryRun) {
            console.print(HoldRun.isAnyHeld(root) ? "would release all held kernels\n" : "no kernel is held\n");
            return ExitCode.COMPATIBLE.number();
        }
        try {
            boolean was = HoldRun.off(root, other -> waiting(other, console));
            console.print(was ? "no kernel is held any more\n" : "no kernel was held\n");
            return ExitCode.COMPATIBLE.number();
        } catch (NotDoneException e) {
            return notDone(e, console);
        } catch (FileSystemException e) {
            String next = e instanceof AccessDeniedException ? "; run weaklink as root" : "";
            console.message(e.getFile() + ": kernels stay held as before: " + IoReason.of(e) + next);
            return ExitCode.ROLLED_BACK.number();
        }
    }

    private static void waiting(LockFile.Holder other, Console console) {
        console.message("waiting for " + other.words() + " to finish");
    }

    private static int notDone(NotDoneException e, Console console) {
        console.message(String.valueOf(e.getMessage()));
        return (e.outcome() == FailureState.REFUSED ? ExitCode.UNUSABLE : ExitCode.ROLLED_BACK).number();
    }

    private static CheckRequest request(ParseResult parsed, Console console) {
        return new CheckRequest(
                Options.root(parsed),
                List.of(),
                List.of(),
                Options.store(parsed),
                false,
                Map.of(),
                List.of(),
                ReadingOptions.of(parsed, console, null),
                console.in());
    }
}
