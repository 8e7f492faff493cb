package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.history.HistoryDatabase;
import dev.weaklink.history.HistoryReader;
import dev.weaklink.report.KeptAudits;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit log}: the audits that were kept. */
final class AuditLogCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    AuditDatabase.addTo(spec);
    OutputForm.addTo(spec, KeptAudits.FORMATS);
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    OutputForm form = OutputForm.of(parsed);
    KeptAudits kept;
    try (HistoryDatabase database = HistoryDatabase.openExisting(AuditDatabase.file(parsed))) {
      kept = KeptAudits.log(HistoryReader.runs(database));
    } catch (IOException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    }
    int status = ExitCode.COMPATIBLE.number();
    return form.write(out -> kept.write(form.format(), out), console, status);
  }
}
