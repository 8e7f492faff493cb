package dev.weaklink.cli;

import dev.weaklink.check.report.ExplainedFinding;
import dev.weaklink.check.report.FindingKinds;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Similar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** {@code weaklink explain FINDING}: what the ids of findings mean. */
final class FindingHelp {
  private FindingHelp() {}

  /** Explains these ids, or the first words of several; lists all without any. */
  static int show(List<String> ids, ParseResult parsed, Console console) throws IOException {
    ids.forEach(FindingHelp::requireKnown);
    List<ExplainedFinding> kinds =
        ExplainedFinding.ALL.stream()
            .filter(kind -> ids.isEmpty() || ids.contains(kind.id()) || ids.contains(kind.group()))
            .toList();
    FindingKinds shown = new FindingKinds(kinds);
    OutputForm form = OutputForm.tableOrJson(parsed, "a finding");
    TableOptions options = form.table(parsed, console, true);
    return form.write(
        out -> {
          if (form.format() == Format.JSON) {
            shown.json(out);
          } else {
            String text = ids.isEmpty() ? shown.list(options) : shown.describe(options);
            out.write(text.getBytes(StandardCharsets.UTF_8));
          }
        },
        console,
        ExitCode.COMPATIBLE.number());
  }

  private static void requireKnown(String id) {
    List<String> known = new ArrayList<>();
    for (ExplainedFinding kind : ExplainedFinding.ALL) {
      known.add(kind.id());
      known.add(kind.group());
    }
    if (!known.contains(id)) {
      throw new UsageException(
          "there is no finding '"
              + Escape.text(id)
              + "'"
              + Similar.question(id, known)
              + "; a symbol takes the kernels to compare, with --from and --to");
    }
  }
}
