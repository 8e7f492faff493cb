package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.Comparison;
import dev.weaklink.fleet.report.AuditForms;
import dev.weaklink.fleet.report.AuditReader;
import dev.weaklink.fleet.report.AuditStatusLine;
import dev.weaklink.fleet.report.UnusableAuditException;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.format.codec.UnreadableFileException;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * How an audit is shown.
 *
 * @param form its form, and where it goes
 * @param table how a table looks
 * @param nodes which nodes are wanted and nothing else, empty if all is
 * @param baseline an earlier audit to compare with, null if there is none
 */
record AuditOutput(
    OutputForm form, TableOptions table, List<String> nodes, @Nullable AuditReport baseline) {

  /**
   * What was asked for; the earlier audit is read first, so that a wrong file costs no time.
   *
   * @throws UsageException if it is none
   */
  static AuditOutput of(ParseResult parsed, Console console) throws IOException {
    OutputForm form = OutputForm.of(parsed);
    String file = Options.text(parsed, AuditOptions.BASELINE);
    AuditReport baseline = file == null ? null : read(file);
    boolean verbose = Options.isSet(parsed, AuditOptions.VERBOSE);
    List<String> nodes = Options.texts(parsed, AuditOptions.PRINT_NODES);
    PrintedNodes.require(nodes);
    return new AuditOutput(form, form.table(parsed, console, verbose), nodes, baseline);
  }

  /**
   * Reads an audit's document, packed or not.
   *
   * @throws UsageException if there is none
   */
  private static AuditReport read(String file) throws IOException {
    try (InputStream in = new BufferedInputStream(Streams.open(Path.of(file), Limits.DEFAULT))) {
      return AuditReader.read(in);
    } catch (UnreadableFileException e) {
      throw new UsageException(file + ": " + e.reason());
    } catch (UnusableAuditException e) {
      throw new UsageException(file + ": " + e.getMessage());
    } catch (InvalidPathException e) {
      throw new UsageException(file + ": no such file");
    }
  }

  /**
   * Writes an audit, compared if that was asked for.
   *
   * @param usual the exit status, unless the form has its own or it could not be written
   * @return the exit status
   */
  int write(AuditReport audit, Console console, ExitCode usual) throws IOException {
    AuditReport report = baseline == null ? audit : Comparison.of(baseline, audit);
    int status =
        form.format() == Format.NAGIOS ? AuditStatusLine.status(report).number() : usual.number();
    if (!nodes.isEmpty()) {
      byte[] lines = PrintedNodes.lines(nodes, report).getBytes(StandardCharsets.UTF_8);
      return form.write(out -> out.write(lines), console, status);
    }
    return form.write(out -> AuditForms.write(form.format(), report, table, out), console, status);
  }

  static ExitCode exitCode(AuditReport report) {
    if (report.nodes() == 0) {
      return ExitCode.UNUSABLE;
    }
    if (report.hasDefects() || report.hasRefusals()) {
      return ExitCode.INCOMPATIBLE;
    }
    return report.hasUnknown() ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
  }
}
