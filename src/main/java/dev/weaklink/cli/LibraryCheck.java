package dev.weaklink.cli;

import dev.weaklink.check.report.UserspaceText;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.check.userspace.UserspaceCheck;
import dev.weaklink.check.userspace.UserspaceReport;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.ParseResult;

/** {@code weaklink check --userspace}: checks the RDMA libraries against each other and against the kernel. */
final class LibraryCheck implements Command {
    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.tableOrJson(parsed, CheckCommand.USERSPACE);
        TableOptions options = form.table(parsed, console, false);
        Root root = Root.of(Options.root(parsed));
        UserspaceReport report = UserspaceCheck.of(root);
        int status = exitCode(report).number();
        return form.write(
                out -> {
                    if (form.format() == Format.JSON) {
                        UserspaceText.write(report, out);
                    } else {
                        String where = root.isHost() ? "" : root.toString();
                        String text = UserspaceText.table(report, where, options);
                        out.write(text.getBytes(StandardCharsets.UTF_8));
                    }
                },
                console,
                status);
    }

    private static ExitCode exitCode(UserspaceReport report) {
        if (report.isEmpty()) {
            return ExitCode.UNDETERMINED;
        }
        return report.hasFailures() ? ExitCode.INCOMPATIBLE : ExitCode.COMPATIBLE;
    }
}
