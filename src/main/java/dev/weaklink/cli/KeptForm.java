package dev.weaklink.cli;

import dev.weaklink.report.ExitCode;
import dev.weaklink.report.KeptAudits;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * In which form audits that were kept are written, and where to.
 *
 * @param format one of {@link KeptAudits#FORMATS}
 */
record KeptForm(String format, OutputFile file) {
  private static final String FORMAT = "--format";

  static void addTo(CommandSpec spec) {
    spec.addOption(
        Options.choice(
            KeptAudits.FORMATS,
            "table for people; json, one object, and ndjson, one a line; csv for spreadsheets."
                + " Default: table.",
            FORMAT));
    OutputFile.addTo(spec);
  }

  /**
   * What was asked for.
   *
   * @throws UsageException if it cannot be had
   */
  static KeptForm of(ParseResult parsed) {
    return new KeptForm(Options.word(parsed, FORMAT, KeptAudits.FORMATS), OutputFile.of(parsed));
  }

  /** Writes them, and returns the exit status. */
  int write(KeptAudits kept, Console console) throws IOException {
    boolean written = file.write(out -> kept.write(format, out), console);
    return (written ? ExitCode.COMPATIBLE : ExitCode.UNUSABLE).number();
  }
}
