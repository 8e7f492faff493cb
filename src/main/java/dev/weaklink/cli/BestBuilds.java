package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Matcher;
import dev.weaklink.check.report.MatchText;
import dev.weaklink.check.result.MatchReport;
import dev.weaklink.report.Format;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.ParseResult;

/** {@code weaklink check --best}: which of these builds is for that kernel? */
final class BestBuilds implements Command {
    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.tableOrJson(parsed, CheckCommand.BEST);
        CheckRequest request = KernelOption.request(parsed, console);
        MatchReport report = Matcher.match(request);
        console.report(report.problems());
        int status = report.exitCode().number();
        status = form.write(
                out -> {
                    if (form.format() == Format.JSON) {
                        MatchText.write(report, out);
                    } else {
                        out.write(MatchText.lines(report).getBytes(StandardCharsets.UTF_8));
                    }
                },
                console,
                status);
        request.reading().cache().save();
        return status;
    }
}
