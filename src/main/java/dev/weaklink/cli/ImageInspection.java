package dev.weaklink.cli;

import dev.weaklink.check.ImageInspector;
import dev.weaklink.check.ImageInspector.InspectedImage;
import dev.weaklink.check.ImageInspector.KernelRequest;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.SymversWriter;
import dev.weaklink.report.TableOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalInt;
import picocli.CommandLine.ParseResult;

/**
 * {@code weaklink inspect} of a kernel: prints the facts of the kernel image, or a Module.symvers made from the image
 * and the modules.
 */
final class ImageInspection implements InspectCommand.Kernels {
    @Override
    public OptionalInt run(ParseResult parsed, Console console) throws IOException {
        KernelRequest request = new KernelRequest(
                Options.root(parsed), Options.names(parsed), Options.text(parsed, InspectCommand.KERNEL));
        return Options.isSet(parsed, InspectCommand.SYMVERS)
                ? OptionalInt.of(symvers(request, parsed, console))
                : inspect(request, parsed, console);
    }

    private static int unusable(IOException e, Console console) {
        console.message(String.valueOf(e.getMessage()));
        return ExitCode.UNUSABLE.number();
    }

    private static OptionalInt inspect(KernelRequest request, ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        TableOptions options = form.table(parsed, console, true);
        InspectedImage kernel;
        try {
            kernel = new ImageInspector().inspect(request);
        } catch (IOException e) {
            return OptionalInt.of(unusable(e, console));
        }
        if (kernel == null) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(
                form.write(out -> kernel.write(form.format(), options, out), console, ExitCode.COMPATIBLE.number()));
    }

    private static int symvers(KernelRequest request, ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        Path modules = Options.directory(parsed, InspectCommand.MODULES);
        int threads = Runtime.getRuntime().availableProcessors();
        ExportTable exports;
        try {
            exports = new ImageInspector().symvers(request, modules, threads);
        } catch (IOException e) {
            return unusable(e, console);
        }
        byte[] rows = SymversWriter.write(exports);
        return form.write(out -> out.write(rows), console, ExitCode.COMPATIBLE.number());
    }
}
