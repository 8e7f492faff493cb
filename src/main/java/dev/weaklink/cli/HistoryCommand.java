package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.report.HistoryText;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.rebuild.report.PastRunText;
import dev.weaklink.rebuild.run.KeptTrials;
import dev.weaklink.rebuild.run.PastRun;
import dev.weaklink.report.Format;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class HistoryCommand implements Command {

    @Override
    public void declare(CommandSpec spec) {
        Options.addRoot(spec);
        OutputForm.addTo(spec, List.of(Format.TABLE, Format.JSON));
        Options.addVerbose(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        Path top = Options.root(parsed);
        History history = History.read(Root.of(top));
        List<PastRun> runs = PastRun.read(Root.of(top));
        for (String problem : history.problems()) {
            console.message(problem);
        }
        boolean none = history.entries().isEmpty() && history.problems().isEmpty() && runs.isEmpty();
        if (none && !Options.isSet(parsed, Options.QUIET)) {
            console.message("no transactions yet");
        }
        int trials = top == null ? new KeptTrials(Root.of(null)).readable().size() : 0;
        if (trials > 0 && form.format() == Format.TABLE && !Options.isSet(parsed, Options.QUIET)) {
            console.message(
                    "not listed: " + Numbers.of(trials, "trial build") + "; to list: weaklink rebuild --try --status");
        }
        boolean verbose = Options.isSet(parsed, Options.VERBOSE);
        return form.write(
                out -> {
                    if (form.format() == Format.JSON) {
                        HistoryText.write(history.entries(), PastRunText.json(runs), out);
                    } else {
                        out.write(lines(history, runs, verbose).getBytes(StandardCharsets.UTF_8));
                    }
                },
                console,
                (history.problems().isEmpty() ? ExitCode.COMPATIBLE : ExitCode.UNUSABLE).number());
    }

    private static String lines(History history, List<PastRun> runs, boolean verbose) {
        StringBuilder text = new StringBuilder();
        int next = 0;
        for (HistoryEntry entry : history.entries()) {
            // A transaction's time has whole seconds. In one second, the build comes before its installation.
            while (next < runs.size()
                    && !runs.get(next).time().truncatedTo(ChronoUnit.SECONDS).isAfter(entry.time())) {
                text.append(PastRunText.line(runs.get(next++)));
            }
            text.append(HistoryText.line(entry));
            if (verbose) {
                text.append(HistoryText.changes(entry));
            }
        }
        runs.subList(next, runs.size()).forEach(run -> text.append(PastRunText.line(run)));
        return text.toString();
    }
}
