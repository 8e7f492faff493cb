package dev.weaklink.check;

import dev.weaklink.check.report.ModuleJson;
import dev.weaklink.check.report.ModuleTable;
import dev.weaklink.check.report.ModuleTable.DefectWords;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.StalledReads;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the module that an argument names, or the modules of a package. */
public final class SingleModule {
    private SingleModule() {}

    /**
     * The facts of a module.
     *
     * @param module the facts that the loader checks
     * @param names the names that the module requests at run time
     */
    public record Inspected(KernelModule module, RuntimeNames names) {
        /** Returns the reason why the file does not begin with an ELF header; null if it does. */
        public @Nullable String whyNoModule() {
            if (module.defects().isEmpty()) {
                return null;
            }
            ElfDefect first = module.defects().get(0);
            return first.kind().compareTo(ElfDefect.ElfDefectKind.BAD_MAGIC) > 0 ? null : DefectWords.of(first);
        }

        public void write(Format format, TableOptions options, OutputStream out) throws IOException {
            if (format == Format.JSON) {
                ModuleJson.write(module, names, out);
            } else {
                String text = new ModuleTable(options).render(module, names);
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private static boolean isDirectory(String argument) throws IOException {
        File file = new File(argument);
        try {
            return StalledReads.watched(file.toPath(), file::isDirectory);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /**
     * Reads a module's facts.
     *
     * @param top the root directory of the system in which a bare module name is looked up, null for {@code /}
     * @param argument a file, a package, or the name of a module of the newest installed kernel
     * @return at least one module
     * @throws IOException if the argument is a directory, or if the module cannot be found or read; the message is one
     *     line
     */
    public static List<Inspected> read(@Nullable Path top, String argument) throws IOException {
        if (isDirectory(argument)) {
            throw new FileNotFoundException(argument + ": is a directory; give a module file");
        }
        Root root = top == null ? Root.HOST : Root.of(top);
        String newest = InstalledKernels.newest(root);
        ModuleArguments found = ModuleArguments.expand(
                List.of(argument), InputStream.nullInputStream(), root, newest == null ? List.of() : List.of(newest));
        List<Inspected> packaged = new ArrayList<>();
        for (ModuleSource source : found.modules()) {
            PackagedModule module = source.packaged();
            if (module != null) {
                packaged.add(new Inspected(module.facts().read(), module.runtime()));
            }
        }
        if (!packaged.isEmpty()) {
            return packaged;
        }
        if (found.modules().size() != 1) {
            throw new FileNotFoundException(
                    found.problems().isEmpty()
                            ? argument
                                    + (found.modules().isEmpty()
                                            ? ": contains no module; give a module file"
                                            : ": names " + found.modules().size() + " modules; give one")
                            : found.problems().get(0).subject() + ": "
                                    + found.problems().get(0).message());
        }
        ModuleSource source = found.modules().get(0);
        FileContents contents = new FileContents();
        contents.load(source.host());
        byte[] bytes = contents.bytes();
        int length = contents.length();
        return List.of(new Inspected(
                ModuleReader.read(Origin.file(source.display()), bytes, length),
                ModuleReader.readRuntimeNames(bytes, length)));
    }
}
