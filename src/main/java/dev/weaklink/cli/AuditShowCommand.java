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
    StoreCommand.addNames(spec, "ID|NODE", "1");
    AuditDatabase.addTo(spec);
    OutputForm.addTo(spec, KeptAudits.FORMATS);
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
