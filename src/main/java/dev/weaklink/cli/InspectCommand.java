package dev.weaklink.cli;

import dev.weaklink.check.SingleModule.Inspected;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.format.archive.DiskImage;
import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.system.ModuleNames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class InspectCommand implements Command {
    static final String KERNEL = "--kernel";
    static final String SYMVERS = "--symvers";
    static final String MODULES = "--modules";
    private static final String ADVICE = "; name a kernel module (.ko), or copy this file again if it is damaged";

    /** The offset of {@code e_type} in an ELF header: two bytes in either byte order. */
    private static final int E_TYPE = 16;

    interface Modules {
        List<Inspected> read(@Nullable Path root, String argument) throws IOException;
    }

    interface Kernels {
        /** Returns the exit status; empty if the named files are packages without a kernel image. */
        OptionalInt run(ParseResult parsed, Console console) throws IOException;
    }

    private final Modules inspector;
    private final Kernels kernels;

    InspectCommand(Modules inspector, Kernels kernels) {
        this.inspector = inspector;
        this.kernels = kernels;
    }

    @Override
    public void declare(CommandSpec spec) {
        spec.addPositional(Options.operands("FILE"));
        spec.addOption(Options.flag(SYMVERS));
        spec.addOption(Options.value("DIR", MODULES));
        spec.addOption(Options.value("RELEASE", KERNEL));
        Options.addRoot(spec);
        OutputForm.addTo(spec, List.of(Format.TABLE, Format.JSON));
        Options.addColor(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        List<String> files = Options.names(parsed);
        boolean symvers = Options.isSet(parsed, SYMVERS);
        if (Options.isSet(parsed, MODULES) && !symvers) {
            throw new UsageException(MODULES + " needs " + SYMVERS);
        }
        if (symvers || files.isEmpty() || isKernel(files.get(0))) {
            OptionalInt status = kernels.run(parsed, console);
            if (status.isPresent()) {
                return status.getAsInt();
            }
        }
        return modules(files, parsed, console);
    }

    private static boolean isKernel(String file) {
        try {
            Path path = Path.of(file);
            return !ModuleNames.isModuleFile(String.valueOf(path.getFileName()))
                    && Files.isRegularFile(path)
                    && !isObject(path)
                    && !isOtherImage(path);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static boolean isOtherImage(Path file) {
        DiskImage image = DiskImage.of(file);
        return image != null && image != DiskImage.PE;
    }

    /** Returns whether a file is a relocatable ELF file, which a kernel image never is. */
    private static boolean isObject(Path file) {
        try (InputStream in = RegularFile.open(file)) {
            byte[] start = in.readNBytes(E_TYPE + 2);
            return start.length == E_TYPE + 2
                    && new String(start, 0, 4, StandardCharsets.ISO_8859_1).equals("\u007fELF")
                    && start[E_TYPE] + start[E_TYPE + 1] == ElfHeader.ET_REL;
        } catch (IOException e) {
            return false;
        }
    }

    private int modules(List<String> files, ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        TableOptions options = form.table(parsed, console, true);
        boolean json = form.format() == Format.JSON;
        boolean quiet = Options.isSet(parsed, Options.QUIET);
        List<Inspected> shown = new ArrayList<>();
        ExitCode code = ExitCode.COMPATIBLE;
        for (String file : files) {
            List<Inspected> found = read(Options.root(parsed), file, console);
            code = found.isEmpty() ? ExitCode.UNUSABLE : code;
            for (Inspected inspected : found) {
                String reason = inspected.whyNoModule();
                if (reason != null) {
                    code = ExitCode.UNUSABLE;
                    console.message(inspected.module().origin() + ": " + reason + ADVICE);
                }
                if (!quiet && (json || reason == null)) {
                    shown.add(inspected);
                }
            }
        }
        return form.write(
                out -> {
                    for (Inspected inspected : shown) {
                        inspected.write(form.format(), options, out);
                    }
                },
                console,
                code.number());
    }

    private List<Inspected> read(@Nullable Path root, String argument, Console console) {
        try {
            return inspector.read(root, argument);
        } catch (IOException e) {
            console.message(String.valueOf(e.getMessage()));
            return List.of();
        }
    }
}
