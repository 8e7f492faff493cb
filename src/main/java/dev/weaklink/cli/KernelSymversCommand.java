package dev.weaklink.cli;

import dev.weaklink.check.ImageInspector;
import dev.weaklink.check.KernelRequest;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.SymversWriter;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink kernel symvers}: a kernel's Module.symvers from its image and modules. */
final class KernelSymversCommand implements Command {
  private static final String MODULES = "--modules";

  @Override
  public void declare(CommandSpec spec) {
    KernelCommand.addKernel(spec);
    spec.addOption(Options.value("DIR", MODULES));
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    KernelRequest request = KernelCommand.request(parsed);
    Path modules = Options.directory(parsed, MODULES);
    int threads = Runtime.getRuntime().availableProcessors();
    ExportTable exports;
    try {
      exports = new ImageInspector().symvers(request, modules, threads);
    } catch (IOException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    }
    console.out().write(SymversWriter.write(exports));
    return ExitCode.COMPATIBLE.number();
  }
}
