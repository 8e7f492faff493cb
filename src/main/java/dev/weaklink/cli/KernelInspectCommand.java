package dev.weaklink.cli;

import dev.weaklink.check.ImageInspector;
import dev.weaklink.check.ImageInspector.Inspected;
import dev.weaklink.check.report.KernelJson;
import dev.weaklink.check.report.KernelTable;
import dev.weaklink.check.result.ExitCode;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink kernel inspect}: what a kernel's image says of it and of its loader. */
final class KernelInspectCommand implements Command {

  @Override
  public void declare(CommandSpec spec) {
    KernelCommand.addKernel(spec);
    spec.addOption(TableOrJson.option());
    Options.addColor(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    boolean json = TableOrJson.isJson(parsed);
    KernelTable table = new KernelTable(ColorChoice.table(parsed, console, true));
    Inspected kernel;
    try {
      kernel = new ImageInspector().inspect(KernelCommand.request(parsed));
    } catch (IOException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    }
    if (json) {
      KernelJson.write(kernel.name(), kernel.image(), kernel.rules(), console.out());
    } else {
      console.print(table.render(kernel.name(), kernel.image(), kernel.rules()));
    }
    return ExitCode.COMPATIBLE.number();
  }
}
