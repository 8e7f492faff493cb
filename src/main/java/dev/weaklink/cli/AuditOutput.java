package dev.weaklink.cli;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.KernelSafety;
import dev.weaklink.audit.AuditReport.Target;
import dev.weaklink.audit.Comparison;
import dev.weaklink.audit.Nodes;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.codec.Streams;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.report.AuditForms;
import dev.weaklink.report.AuditReader;
import dev.weaklink.report.AuditStatusLine;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.report.UnusableAuditException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * How an audit is shown.
 *
 * @param form its form, and where it goes
 * @param table how a table looks
 * @param nodes which nodes are wanted and nothing else, null if all is
 * @param baseline an earlier audit to compare with, null if there is none
 */
record AuditOutput(
    OutputForm form, TableOptions table, @Nullable String nodes, @Nullable AuditReport baseline) {
  private static final String MISSING = "missing";

  /**
   * What was asked for; the earlier audit is read first, so that a wrong file costs no time.
   *
   * @throws UsageException if it is none
   */
  static AuditOutput of(ParseResult parsed, Console console) throws IOException {
    OutputForm form = OutputForm.of(parsed);
    String file = Options.text(parsed, AuditOptions.BASELINE);
    AuditReport baseline = file == null ? null : read(file);
    if (baseline != null && baseline.part() != null) {
      throw new UsageException(file + ": is only a part of an audit; merge the parts first");
    }
    boolean verbose = Options.isSet(parsed, AuditOptions.VERBOSE);
    String nodes = Options.text(parsed, AuditOptions.PRINT_NODES);
    if (nodes != null && !nodes.equals(MISSING) && nodes.indexOf(':') < 1) {
      throw new UsageException(
          AuditOptions.PRINT_NODES + " takes missing, or safe:KERNEL and the like, not " + nodes);
    }
    return new AuditOutput(form, form.table(parsed, console, verbose), nodes, baseline);
  }

  /**
   * Reads an audit's document, packed or not.
   *
   * @throws UsageException if there is none
   */
  static AuditReport read(String file) throws IOException {
    try (InputStream in = Streams.open(Path.of(file))) {
      return AuditReader.read(in);
    } catch (UnreadableFileException e) {
      throw new UsageException(file + ": " + e.reason());
    } catch (UnusableAuditException e) {
      throw new UsageException(file + ": " + e.getMessage());
    } catch (InvalidPathException e) {
      throw new UsageException(file + ": no such file");
    }
  }

  boolean isDocument() {
    return form.format() == Format.JSON;
  }

  boolean hasBaseline() {
    return baseline != null;
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
    if (nodes != null) {
      byte[] line = (nodes(nodes, report).folded() + "\n").getBytes(StandardCharsets.UTF_8);
      return form.write(out -> out.write(line), console, status);
    }
    return form.write(out -> AuditForms.write(form.format(), report, table, out), console, status);
  }

  private static Nodes nodes(String which, AuditReport report) {
    if (which.equals(MISSING)) {
      return Nodes.union(report.missing().stream().map(AuditReport.Missing::nodes).toList());
    }
    int colon = which.indexOf(':');
    String name = which.substring(colon + 1);
    for (KernelSafety kernel : report.kernels()) {
      Target target = report.targets().get(kernel.target());
      if (name.equals(target.release()) || name.equals(target.label())) {
        return nodes(which.substring(0, colon), kernel);
      }
    }
    throw new UsageException(AuditOptions.PRINT_NODES + ": no kernel " + name + " in this audit");
  }

  private static Nodes nodes(String which, KernelSafety kernel) {
    return switch (which) {
      case "safe" -> kernel.ready();
      case "unsafe" -> kernel.unsafe();
      case "unknown" -> kernel.unknown();
      case "canaries" -> kernel.canaries();
      default -> throw new UsageException(AuditOptions.PRINT_NODES + ": no such nodes: " + which);
    };
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
