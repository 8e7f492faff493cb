package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.KernelMatrix;
import dev.weaklink.check.report.MatrixForms;
import dev.weaklink.check.result.MatrixReport;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Progress;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** {@code weaklink check --kernel store:PATTERN}: which builds serve which kernels? */
final class MatrixCheck implements Command {
  /** Whether kernels of a store are asked for by a pattern. */
  static boolean isWanted(ParseResult parsed) {
    return KernelOption.kernels(parsed).stream().anyMatch(MatrixCheck::isPattern);
  }

  private static boolean isPattern(String kernel) {
    return kernel.startsWith(KernelMatrix.STORE);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    OutputForm form = OutputForm.of(parsed);
    if (List.of(Format.NDJSON, Format.PREFLIGHT).contains(form.format())) {
      throw new UsageException(
          "--format " + form.format().id() + " is not for kernels of a pattern; use json");
    }
    if (!KernelOption.kernels(parsed).stream().allMatch(MatrixCheck::isPattern)) {
      throw new UsageException(
          "with store:PATTERN, all kernels are from the store; add others with 'weaklink store add'");
    }
    boolean quiet = Options.isSet(parsed, Options.QUIET);
    TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
    CheckRequest request = KernelOption.request(parsed, console);
    Progress progress = quiet ? Progress.NONE : TerminalProgress.on(console);
    MatrixReport report;
    try {
      report = KernelMatrix.of(request, progress);
    } finally {
      progress.done();
    }
    console.report(report.problems());
    int status = report.exitCode().number();
    if (!quiet) {
      status =
          form.write(
              out -> MatrixForms.write(report, form.format(), options, out), console, status);
    }
    request.reading().cache().save();
    return status;
  }
}
