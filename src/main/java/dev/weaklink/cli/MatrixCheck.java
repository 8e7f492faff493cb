package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.KernelMatrix;
import dev.weaklink.check.report.MatrixForms;
import dev.weaklink.check.result.MatrixReport;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.loader.Outcome;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.rules.yaml.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Progress;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** {@code weaklink check --kernel store:PATTERN}: which builds serve which kernels? */
final class MatrixCheck implements Command {
  static final String REQUIRES = "--requires";
  static final String BASELINE = "--baseline";

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
    KernelRequirements required = requirements(parsed, console);
    Map<String, Map<String, Outcome>> earlier = earlier(parsed);
    boolean quiet = Options.isSet(parsed, Options.QUIET);
    TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
    CheckRequest request = KernelOption.request(parsed, console);
    Progress progress = quiet ? Progress.NONE : TerminalProgress.on(console);
    MatrixReport judged;
    try {
      judged = KernelMatrix.of(request, progress);
    } finally {
      progress.done();
    }
    MatrixReport compared = earlier == null ? judged : judged.since(earlier);
    MatrixReport report = required == null ? compared : compared.requiring(required);
    console.report(report.problems());
    int status = report.exitCode().number();
    status =
        form.write(out -> MatrixForms.write(report, form.format(), options, out), console, status);
    request.reading().cache().save();
    return status;
  }

  private static @Nullable KernelRequirements requirements(ParseResult parsed, Console console) {
    String file = Options.text(parsed, REQUIRES);
    if (file == null) {
      return null;
    }
    List<RuleProblem> problems = new ArrayList<>();
    KernelRequirements read = RulesReader.requirements(Path.of(file), problems);
    if (read == null) {
      problems.subList(1, problems.size()).forEach(more -> console.message(more.toString()));
      throw new UsageException(REQUIRES + " " + problems.get(0));
    }
    return read;
  }

  private static @Nullable Map<String, Map<String, Outcome>> earlier(ParseResult parsed) {
    String file = Options.text(parsed, BASELINE);
    if (file == null) {
      return null;
    }
    try (InputStream in = new BufferedInputStream(Streams.open(Path.of(file), Limits.DEFAULT))) {
      return MatrixForms.read(in);
    } catch (IOException e) {
      throw new UsageException(file + ": " + IoReason.of(e));
    }
  }
}
