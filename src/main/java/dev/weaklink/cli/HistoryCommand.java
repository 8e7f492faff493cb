package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.report.HistoryText;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink history}: the transactions there have been. */
final class HistoryCommand implements Command {

  @Override
  public void declare(CommandSpec spec) {
    Options.addRoot(spec);
    spec.addOption(Options.flag("-v", Options.VERBOSE));
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    Path top = Options.root(parsed);
    History history = History.read(Root.of(top));
    for (String problem : history.problems()) {
      console.message(problem);
    }
    StringBuilder text = new StringBuilder();
    for (HistoryEntry entry : history.entries()) {
      text.append(HistoryText.line(entry));
      if (Options.isSet(parsed, Options.VERBOSE)) {
        text.append(HistoryText.changes(entry));
      }
    }
    if (history.entries().isEmpty() && history.problems().isEmpty()) {
      console.message("nothing was changed yet");
    }
    console.print(text.toString());
    return (history.problems().isEmpty() ? ExitCode.COMPATIBLE : ExitCode.UNUSABLE).number();
  }
}
