package dev.weaklink.cli;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.report.AuditFormat;
import dev.weaklink.report.AuditStatusLine;
import dev.weaklink.report.ExitCode;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** In which form an audit is written, and where to. */
record AuditForm(AuditFormat format, OutputFile file) {
  private static final String FORMAT = "--format";

  static void addTo(CommandSpec spec) {
    spec.addOption(
        Options.choice(
            AuditFormat.words(),
            "table for people; json, one object, and ndjson, one a line; html, a page to search and"
                + " print that needs no network; csv for spreadsheets; sarif and junit for"
                + " pipelines; prometheus for the node exporter's textfile collector; nagios, one"
                + " line for monitoring, with the exit status of its plugins: 0 (OK), 1 (WARNING)"
                + " if a kernel is not safe for all, 2 (CRITICAL) if something is wrong today, 3"
                + " (UNKNOWN) if something is not known or no node was found; wrong usage is 2."
                + " Default: table.",
            FORMAT));
    OutputFile.addTo(spec);
  }

  /**
   * What was asked for.
   *
   * @throws UsageException if nothing can be written there
   */
  static AuditForm of(ParseResult parsed) {
    AuditFormat format = AuditFormat.of(Options.word(parsed, FORMAT, AuditFormat.words()));
    return new AuditForm(format, OutputFile.of(parsed));
  }

  /**
   * Writes the result.
   *
   * @param usual the exit status, unless the form has its own or it could not be written
   * @return the exit status
   */
  int write(AuditReport report, Console console, ExitCode usual) throws IOException {
    if (!file.write(out -> format.write(report, out), console)) {
      return ExitCode.UNUSABLE.number();
    }
    return format == AuditFormat.NAGIOS ? AuditStatusLine.status(report).number() : usual.number();
  }
}
