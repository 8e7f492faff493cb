package dev.weaklink.cli;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.report.AuditFormat;
import dev.weaklink.report.AuditStatusLine;
import dev.weaklink.report.ExitCode;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.ReplacedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * In which form an audit is written, and where to.
 *
 * @param file null for standard output
 */
record AuditForm(AuditFormat format, @Nullable Path file) {
  private static final String FORMAT = "--format";
  private static final String OUTPUT = "--output";
  private static final String STANDARD_OUTPUT = "-";

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
    spec.addOption(
        Options.value(
            "FILE",
            "Write the result to FILE, which others see as it was or complete; '-' for standard"
                + " output. Default: -.",
            "-o",
            OUTPUT));
  }

  /**
   * What was asked for.
   *
   * @throws UsageException if nothing can be written there
   */
  static AuditForm of(ParseResult parsed) {
    AuditFormat format = AuditFormat.of(Options.word(parsed, FORMAT, AuditFormat.words()));
    String name = Options.text(parsed, OUTPUT);
    if (name == null || name.equals(STANDARD_OUTPUT)) {
      return new AuditForm(format, null);
    }
    try {
      Path file = Path.of(name);
      Path directory = file.toAbsolutePath().getParent();
      if (directory != null && !Files.isDirectory(file)) {
        if (!Files.isDirectory(directory)) {
          throw new UsageException(OUTPUT + " " + name + ": there is no directory " + directory);
        }
        return new AuditForm(format, file);
      }
    } catch (InvalidPathException e) {
      // no file can have such a name
    }
    throw new UsageException(OUTPUT + " takes the name of a file, not '" + name + "'");
  }

  /**
   * Writes the result.
   *
   * @param usual the exit status, unless the form has its own or it could not be written
   * @return the exit status
   */
  int write(AuditReport report, Console console, ExitCode usual) throws IOException {
    if (file == null) {
      format.write(report, console.out());
    } else if (!replace(file, report, console)) {
      return ExitCode.UNUSABLE.number();
    }
    return format == AuditFormat.NAGIOS ? AuditStatusLine.status(report).number() : usual.number();
  }

  private boolean replace(Path place, AuditReport report, Console console) {
    try {
      ReplacedFile.write(place, out -> format.write(report, out));
      return true;
    } catch (IOException e) {
      console.message(place + ": cannot be written: " + IoReason.of(e));
      return false;
    }
  }
}
