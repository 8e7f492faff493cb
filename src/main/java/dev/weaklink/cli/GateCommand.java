package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Checker;
import dev.weaklink.check.Gate;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.manage.ProductLabels;
import dev.weaklink.report.Format;
import dev.weaklink.report.GateText;
import dev.weaklink.report.ModuleForms;
import dev.weaklink.report.ModuleResults;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink gate}: may this kernel be installed? */
final class GateCommand implements Command {
  private static final String MODULES = "--modules";
  private static final String UNITS = "--units";

  @Override
  public void declare(CommandSpec spec) {
    StoreCommand.addNames(spec, "MODULE", "0..*");
    spec.addOption(Options.values("MODULE", MODULES));
    KernelOption.addTo(spec);
    spec.addOption(CheckCommand.explain());
    OutputForm.addTo(spec, OutputForm.OF_MODULES);
    spec.addOption(Options.flag(UNITS));
    Options.addQuiet(spec);
  }

  private static CheckRequest request(ParseResult parsed, Console console) {
    CheckRequest request = KernelOption.request(parsed, console);
    List<String> modules = new ArrayList<>(request.modules());
    modules.addAll(Options.texts(parsed, MODULES));
    return request.with(modules, request.kernels());
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    OutputForm form = OutputForm.of(parsed);
    CheckRequest request = request(parsed, console);
    GateReport report = new Gate(new Checker()).judge(request);
    console.report(report.problems());
    int status = report.exitCode().number();
    if (!Options.isSet(parsed, Options.QUIET)) {
      boolean units = Options.isSet(parsed, UNITS) && form.format() == Format.TABLE;
      status =
          form.write(
              out -> {
                if (units) {
                  out.write(units(report, request, console).getBytes(StandardCharsets.UTF_8));
                } else {
                  write(report, form.format(), out);
                }
              },
              console,
              status);
    }
    request.reading().cache().save();
    return status;
  }

  private static String units(GateReport report, CheckRequest request, Console console)
      throws IOException {
    List<InputProblem> problems = new ArrayList<>();
    Root root = Root.of(request.root());
    ProductLabels products = ProductLabels.find(root, problems);
    problems.removeAll(report.problems());
    console.report(problems);
    return GateText.units(report, products.labels(), products.autoinstalled());
  }

  private static void write(GateReport report, Format format, OutputStream out) throws IOException {
    switch (format) {
      case TABLE -> out.write(GateText.lines(report).getBytes(StandardCharsets.UTF_8));
      case JSON -> GateText.write(report, out);
      default -> ModuleForms.write(format, ModuleResults.of(report), out);
    }
  }
}
