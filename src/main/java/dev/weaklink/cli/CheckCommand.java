package dev.weaklink.cli;

import dev.weaklink.check.CheckEngine;
import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Checker;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.report.CheckJson;
import dev.weaklink.report.CheckTable;
import dev.weaklink.report.Format;
import dev.weaklink.report.ModuleForms;
import dev.weaklink.report.ModuleResults;
import dev.weaklink.report.PreflightJson;
import dev.weaklink.report.TableOptions;
import dev.weaklink.report.UserspaceText;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.userspace.UserspaceCheck;
import dev.weaklink.userspace.UserspaceReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink check}: will these modules load on that kernel, and if not, why? */
final class CheckCommand implements Command {
  private final CheckEngine engine;

  CheckCommand() {
    this(new Checker());
  }

  CheckCommand(CheckEngine engine) {
    this.engine = engine;
  }

  static final String ALONE = "--alone";
  static final String EXPLAIN = "--explain";
  private static final List<Format> FORMATS =
      List.of(
          Format.TABLE,
          Format.JSON,
          Format.NDJSON,
          Format.CSV,
          Format.MARKDOWN,
          Format.JUNIT,
          Format.PREFLIGHT);

  @Override
  public void declare(CommandSpec spec) {
    spec.addPositional(Options.operands("MODULE"));
    spec.addOption(Options.values("K", KernelOption.KERNEL));
    Options.addRoot(spec);
    spec.addOption(Options.value("DIR", StoreCommand.STORE));
    spec.addOption(Options.flag(ALONE));
    spec.addOption(explain());
    LoaderOverrides.addTo(spec);
    TrustOptions.addTo(spec);
    Options.addJobs(spec);
    Options.addNoCache(spec);
    OutputForm.addTo(spec, FORMATS);
    Options.addColor(spec);
    Options.addVerbose(spec);
    Options.addQuiet(spec);
  }

  /** To ask for causes. */
  static OptionSpec explain() {
    return Options.flag(EXPLAIN);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    OutputForm form = OutputForm.of(parsed);
    TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
    boolean quiet = Options.isSet(parsed, Options.QUIET);
    CheckRequest request = KernelOption.request(parsed, console);
    CheckReport report = check(request, console, quiet);
    boolean table = form.format() == Format.TABLE && !quiet;
    complain(table ? report.problemsBesidesVerdicts() : report.problems(), report, console);
    int status = report.exitCode().number();
    if (!quiet) {
      int threads = request.reading().threads();
      UserspaceReport userspace = userspace(request.root());
      status =
          form.write(
              out -> {
                write(report, userspace, form.format(), options, threads, out);
              },
              console,
              status);
    }
    request.reading().cache().save();
    return status;
  }

  private CheckReport check(CheckRequest request, Console console, boolean quiet) {
    Progress progress = quiet ? Progress.NONE : TerminalProgress.on(console);
    try {
      return engine.check(request, progress);
    } finally {
      progress.done();
    }
  }

  private static void complain(List<InputProblem> problems, CheckReport report, Console console) {
    for (InputProblem problem : problems) {
      String subject = problem.subject().isEmpty() ? "''" : problem.subject();
      console.message(subject + ": " + problem.message());
    }
    if (report.verdicts().isEmpty() && problems.isEmpty()) {
      console.message("no module was found, so nothing was checked; name module files");
    }
  }

  /** The RDMA libraries of a root, null if it has none. They do not change the exit status. */
  private static @Nullable UserspaceReport userspace(@Nullable Path root) throws IOException {
    UserspaceReport report = root == null ? null : UserspaceCheck.of(Root.of(root));
    return report == null || report.isEmpty() ? null : report;
  }

  private static void write(
      CheckReport report,
      @Nullable UserspaceReport userspace,
      Format format,
      TableOptions options,
      int threads,
      OutputStream out)
      throws IOException {
    switch (format) {
      case TABLE -> {
        String table = new CheckTable(options).render(report);
        String below = userspace == null ? "" : UserspaceText.table(userspace, "", options);
        String gap = table.isEmpty() || below.isEmpty() ? "" : "\n";
        out.write((table + gap + below).getBytes(StandardCharsets.UTF_8));
      }
      case JSON -> CheckJson.writeDocument(report, userspace, out);
      case NDJSON -> {
        CheckJson.writeLines(report, out, threads);
        if (userspace != null) {
          UserspaceText.write(userspace, out);
        }
      }
      case PREFLIGHT -> PreflightJson.write(report, out);
      default -> ModuleForms.write(format, ModuleResults.of(report), out);
    }
  }
}
