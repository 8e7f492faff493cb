package dev.weaklink.cli;

import dev.weaklink.check.report.ExplainedFinding;
import dev.weaklink.check.report.FindingKinds;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Similar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink findings}: what the ids of findings mean. */
final class FindingsCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    spec.addPositional(Options.operands("0..*", "0..*", "ID", FindingsCommand::ids));
    spec.addOption(TableOrJson.option());
    Options.addColor(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    List<String> ids = parsed.matchedPositionalValue(0, List.<String>of());
    List<ExplainedFinding> kinds =
        ExplainedFinding.ALL.stream()
            .filter(kind -> ids.isEmpty() || ids.contains(kind.id()) || ids.contains(kind.group()))
            .toList();
    for (String id : ids) {
      requireKnown(id);
    }
    FindingKinds shown = new FindingKinds(kinds);
    if (TableOrJson.isJson(parsed)) {
      shown.json(console.out());
    } else {
      TableOptions options = ColorChoice.table(parsed, console, true);
      console.print(ids.isEmpty() ? shown.list(options) : shown.describe(options));
    }
    return ExitCode.COMPATIBLE.number();
  }

  private static Iterator<String> ids() {
    return ExplainedFinding.ALL.stream().map(ExplainedFinding::id).iterator();
  }

  private static void requireKnown(String id) {
    List<String> known = new ArrayList<>();
    for (ExplainedFinding kind : ExplainedFinding.ALL) {
      known.add(kind.id());
      known.add(kind.group());
    }
    if (!known.contains(id)) {
      throw new UsageException(
          "there is no finding '" + Escape.text(id) + "'" + Similar.question(id, known));
    }
  }
}
