package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a kernel exports the symbols that its own modules request by name. Symbols of drivers that the
 * configuration leaves out are an exception (6.1.0-54: dib9000_attach, s5h1432_attach).
 */
class RuntimeNamesIT {
    private static final String RELEASE = "6.1.0-54-amd64";

    @TempDir
    Path scratch;

    @Test
    void everyNameFoundIsExportedAndAMissingOneIsNoted() throws IOException {
        Kernel kernel = RealKernels.atDefault().find(RELEASE).orElse(null);
        assumeThat(kernel).as(RELEASE + " is not in the package index any more").isNotNull();
        Path symvers = kernel.symvers();
        Set<String> exported;
        try (Stream<String> lines = Files.lines(symvers)) {
            exported = lines.map(line -> line.split("\t")[1]).collect(Collectors.toSet());
        }
        Set<String> found = new TreeSet<>();
        Path asking = null;
        String asked = "";
        int modules = 0;
        for (Path file : kernel.files()) {
            FileContents contents = new FileContents();
            contents.load(file);
            KernelModule module = ModuleReader.readWithoutRelocations(
                    Origin.file(file.toString()), contents.bytes(), contents.length());
            if (RuntimeNames.isAskedFor(module)) {
                RuntimeNames names = ModuleReader.readRuntimeNames(contents.bytes(), contents.length());
                modules++;
                found.addAll(names.symbols());
                if (!names.symbols().isEmpty()) {
                    asking = file;
                    asked = names.symbols().get(0);
                }
            }
            contents.release();
        }
        Set<String> missing = new TreeSet<>(found);
        missing.removeAll(exported);
        System.out.printf("symbol_get: %d names in %d modules, not exported: %s%n", found.size(), modules, missing);
        assertThat(found).hasSizeGreaterThan(50);
        assertThat(missing).as("drivers that are not built").hasSizeLessThan(found.size() / 20);

        String wanted = "\t" + asked + "\t";
        List<String> without = new ArrayList<>(Files.readAllLines(symvers));
        assertThat(without.removeIf(line -> line.contains(wanted))).isTrue();
        Path changed = Files.write(scratch.resolve("Module.symvers"), without);
        WeaklinkRunner.Run run =
                WeaklinkRunner.run(List.of("check", String.valueOf(asking), "--kernel", changed.toString()));
        String oneLine = String.join(" ", run.stdout()).replaceAll(" +", " ");
        assertThat(oneLine).contains(asked + ": the module requests the symbol at run time");
    }
}
