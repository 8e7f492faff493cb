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
    spec.usageMessage()
        .header("List saved audits.")
        .description(
            "One line for each audit, the latest first: its number, when its nodes were asked, how"
                + " many there were, how many of them had other modules than in the audit before,"
                + " and with how many something was wrong.")
        .exitCodeList(Options.plainExitCodes("they were shown"));
    AuditDatabase.addTo(spec, "The database that 'weaklink audit --db FILE' wrote.");
    OutputForm.addTo(spec, KeptAudits.FORMATS);
  }

  @Override
  public Manual manual() {
    return new Manual(
        new Entry("weaklink audit log --db /var/lib/weaklink/audits.db", "All audits kept there."),
        new Entry(
            "weaklink audit log --db audits.db --format csv -o audits.csv",
            "The same for a spreadsheet."));
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
