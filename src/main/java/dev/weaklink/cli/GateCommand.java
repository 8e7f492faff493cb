package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Gate;
import dev.weaklink.report.Format;
import dev.weaklink.report.GateReport;
import dev.weaklink.report.GateText;
import dev.weaklink.report.InputProblem;
import dev.weaklink.report.ModuleForms;
import dev.weaklink.report.ModuleResults;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink gate}: may this kernel be installed? */
final class GateCommand implements Command {
  private static final String QUIET = "--quiet";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage()
        .header("Say whether a kernel is safe for the modules in use, for patch tooling.")
        .description(
            "Answers yes, no or unknown for every kernel offered: yes if it would load every module"
                + " given, together. Of several kernels the newest that is safe is named.",
            "Without modules those are meant that did not come with the newest installed kernel"
                + " besides those offered, and that it would load.")
        .exitCodeList(exitCodes());
    StoreCommand.addNames(
        spec, "MODULE", "0..*", "Files, directories, packages or names, as for 'weaklink check'.");
    KernelOption.addTo(spec, "A kernel that is offered. Can be given several times");
    OutputForm.addTo(spec, OutputForm.OF_MODULES);
    spec.addOption(Options.flag("Print no result; the exit status is the answer.", "-q", QUIET));
    Options.addCommon(spec);
    return spec;
  }

  private static Map<String, String> exitCodes() {
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("0", "yes; of several kernels: one at least is safe");
    codes.put("1", "no; of several kernels: none is safe");
    codes.put("2", "wrong usage, or no kernel could be read");
    codes.put("3", "not known, or something given could not be used");
    return codes;
  }

  @Override
  public Manual manual() {
    return new Manual(
        List.of(
            new Entry(
                "weaklink gate --kernel kernel-core-5.14.0-570.el9.rpm && dnf update kernel",
                "Installs a kernel only if the modules in use load on it."),
            new Entry(
                "weaklink gate --kernel 6.1.0-55-amd64 --kernel 6.1.0-56-amd64",
                "Which of two kernels is safe.")),
        List.of(StoreCommand.PLACE, Options.CACHE_PLACE),
        List.of(Options.CACHE_VARIABLE));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    OutputForm form = OutputForm.of(parsed);
    CheckRequest request = KernelOption.request(parsed, console);
    if (request.kernels().isEmpty()) {
      throw new UsageException("name the kernel that is offered with --kernel");
    }
    GateReport report = new Gate(services.checkEngine()).judge(request);
    for (InputProblem problem : report.problems()) {
      console.message(problem.subject() + ": " + problem.message());
    }
    int status = report.exitCode().number();
    if (!Options.isSet(parsed, QUIET)) {
      status = form.write(out -> write(report, form.format(), out), console, status);
    }
    request.reading().cache().save();
    return status;
  }

  private static void write(GateReport report, Format format, OutputStream out) throws IOException {
    switch (format) {
      case TABLE -> out.write(GateText.lines(report).getBytes(StandardCharsets.UTF_8));
      case JSON -> GateText.write(report, out);
      default -> ModuleForms.write(format, ModuleResults.of(report), out);
    }
  }
}
