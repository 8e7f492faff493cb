package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.history.HistoryDatabase;
import dev.weaklink.history.HistoryReader;
import dev.weaklink.history.NodeHistory;
import dev.weaklink.history.RunDetails;
import dev.weaklink.report.KeptAudits;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit show}: one audit that was kept, or one node through all of them. */
final class AuditShowCommand implements Command {
  /** The longest number that is one of an audit. */
  private static final int DIGITS = 18;

  @Override
  public void declare(CommandSpec spec) {
    spec.usageMessage()
        .header("Show a saved audit, or the history of a node.")
        .description(
            "Of an audit: its groups of nodes, the kernels it asked about, and what was new or gone"
                + " on which nodes. Of a node: which modules it had from when to when, and since"
                + " when a module is broken. A time is that of the first audit that found it so,"
                + " or found it gone; its number is in parentheses.")
        .exitCodeList(Options.plainExitCodes("it was shown"));
    StoreCommand.addNames(spec, "ID|NODE", "1", "The number of an audit, or a node's name.");
    AuditDatabase.addTo(spec, "The database that 'weaklink audit --db FILE' wrote.");
    OutputForm.addTo(spec, KeptAudits.FORMATS);
  }

  @Override
  public Manual manual() {
    return new Manual(
        new Entry("weaklink audit show --db audits.db 12", "What the twelfth audit found."),
        new Entry("weaklink audit show --db audits.db cn017", "The history of a node."));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    List<String> names = StoreCommand.names(parsed);
    if (names.size() != 1) {
      throw new UsageException("name one audit by its number, or one node");
    }
    OutputForm form = OutputForm.of(parsed);
    KeptAudits kept;
    try (HistoryDatabase database = HistoryDatabase.openExisting(AuditDatabase.file(parsed))) {
      kept = find(database, names.get(0));
    } catch (IOException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    }
    if (kept == null) {
      console.message("neither an audit nor a node that was kept: " + names.get(0));
      return ExitCode.UNUSABLE.number();
    }
    int status = ExitCode.COMPATIBLE.number();
    return form.write(out -> kept.write(form.format(), out), console, status);
  }

  private static @Nullable KeptAudits find(HistoryDatabase database, String name)
      throws IOException {
    RunDetails run = isNumber(name) ? HistoryReader.run(database, Long.parseLong(name)) : null;
    if (run != null) {
      return KeptAudits.run(run);
    }
    NodeHistory node = HistoryReader.node(database, name);
    return node == null ? null : KeptAudits.node(node);
  }

  private static boolean isNumber(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return text.length() <= DIGITS;
  }
}
