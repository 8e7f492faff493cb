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
    spec.usageMessage()
        .header("Rebuild a kernel's Module.symvers from its image and its modules.")
        .description(
            "Prints what a kernel and the modules that came with it export, in the format of"
                + " Module.symvers: CRC, symbol, exporter, kind of export and namespace, with tabs"
                + " between. The rows are those of the kernel's headers package; they are sorted:"
                + " vmlinux first, then the modules by path, and the symbols of each by name.",
            "Without modules only the rows of vmlinux are printed. Modules that were built with"
                + " another kernel than the image are refused.")
        .exitCodeList(Options.plainExitCodes("the rows were printed"));
    KernelCommand.addKernel(spec);
    spec.addOption(
        Options.value(
            "DIR",
            "The kernel's modules: its directory below lib/modules, or any directory. Default:"
                + " those of the installed kernel, or those in the packages; none if only an image"
                + " is given.",
            MODULES));
  }

  @Override
  public Manual manual() {
    return new Manual(
            new Entry(
                "weaklink kernel symvers vmlinuz --modules lib/modules/6.12.101+deb12-amd64",
                "From an image and a directory of modules."),
            new Entry(
                "weaklink kernel symvers --root /srv/image --kernel 5.14.0-570.el9.x86_64",
                "From a kernel that is installed in an image."))
        .files(
            new Entry("/boot/vmlinuz-RELEASE, /lib/modules/RELEASE/vmlinuz", "A kernel's image."));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
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
