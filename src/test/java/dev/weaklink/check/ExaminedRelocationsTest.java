package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Progress;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The relocations, which are read last and only from modules that pass all other checks. */
class ExaminedRelocationsTest {
    private static final String RELEASE = "6.1.0-1-test";
    private static final int UNKNOWN_TYPE = 201;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(
            value = Machine.class,
            names = {"X86_64", "AARCH64", "S390X", "PPC64LE", "RISCV64"})
    void readsRelocationsOfEveryMachineWithKnownTypes(Machine machine) throws IOException {
        ModuleBuilder module = ModuleBuilder.typical(machine, "m");
        TreeBuilder.in(directory)
                .module(RELEASE, "kernel/own.ko", ModuleBuilder.typical(machine, "own"))
                .symvers(
                        SymversPlace.MODULES_XZ,
                        RELEASE,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344));
        Path sound = directory.resolve("sound.ko");
        Path damaged = directory.resolve("damaged.ko");
        Files.write(sound, module.build());
        Files.write(damaged, module.textRelocation(UNKNOWN_TYPE, 0).build());

        assertThat(check(sound, damaged).verdicts())
                .extracting(Verdict::errno)
                .containsExactly(null, machine == Machine.RISCV64 ? "EINVAL" : "ENOEXEC");
    }

    private CheckReport check(Path... modules) {
        return Checker.check(
                new CheckRequest(
                        directory,
                        Stream.of(modules).map(Path::toString).toList(),
                        List.of(RELEASE),
                        null,
                        true,
                        Map.of(),
                        List.of(),
                        new ReadOptions(1, FactsCache.NONE),
                        InputStream.nullInputStream()),
                Progress.NONE);
    }
}
