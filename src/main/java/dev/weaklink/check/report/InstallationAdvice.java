package dev.weaklink.check.report;

import dev.weaklink.report.Page;
import dev.weaklink.sys.Escape;
import java.util.List;

/**
 * Advice on a kernel for which DKMS failed. The strings are not escaped.
 *
 * @param causes a sentence about each failed build
 * @param next the next step, as a clause; empty if none is known
 * @param command the command that follows the clause; empty if there is none
 * @param isUnfinished whether the failure has left packages of the kernel unconfigured
 */
public record InstallationAdvice(List<String> causes, String next, String command, boolean isUnfinished) {
    /** The advice on a kernel for which DKMS did not fail. */
    public static final InstallationAdvice NONE = new InstallationAdvice(List.of(), "", "", false);

    public InstallationAdvice {
        causes = List.copyOf(causes);
    }

    /** Writes the next step; its command is on a separate line, so that it can be copied. */
    public void writeNext(Page page, int indent, String first) {
        if (!next.isEmpty()) {
            page.sentence(indent, first, Escape.text(next));
        }
        if (!command.isEmpty()) {
            page.line(" ".repeat(indent + 2) + Escape.text(command));
        }
    }
}
