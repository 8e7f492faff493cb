package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.btf.BtfValidity.BtfAnswer;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.Progress;
import dev.weaklink.system.cache.DirectoryCache;
import dev.weaklink.system.cache.DirectoryCache.KeptModule.JudgedTypes;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Oddities;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of BTF, which is only read from modules that pass all other checks. The kernel refuses damaged BTF. */
class DamagedTypesTest {
    private static final String RELEASE = "6.1.0-1-test";
    private static final long HOUR = 3_600_000_000_000L;

    @TempDir
    Path directory;

    private Path sound;
    private Path damaged;

    @BeforeEach
    void kernelThatInsistsOnBtf() throws IOException {
        TreeBuilder.in(directory)
                .module(RELEASE, "kernel/a.ko", module("a", types()))
                .module(RELEASE, "kernel/b.ko", module("b", types()))
                .config(
                        RELEASE,
                        "CONFIG_MODVERSIONS=y",
                        "CONFIG_DEBUG_INFO_BTF_MODULES=y",
                        "# CONFIG_MODULE_ALLOW_BTF_MISMATCH is not set")
                .symvers(
                        SymversPlace.MODULES_XZ,
                        RELEASE,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344));
        sound = directory.resolve("sound.ko.gz");
        damaged = directory.resolve("damaged.ko.gz");
        write(sound, module("sound", types()));
        byte[] types = types();
        types[types.length - 2] = '?';
        write(damaged, module("damaged", types));
    }

    /** Writes the module compressed, because the facts of a few uncompressed modules are not cached. */
    private static void write(Path file, ModuleBuilder module) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(module.build());
        }
    }

    /** Returns BTF that is split from the BTF of a kernel. */
    private static byte[] types() {
        BtfBuilder kernel = new BtfBuilder();
        kernel.integer("int", 4);
        BtfBuilder module = kernel.split();
        module.enumeration("choice", "A", "B", "C", "D", "E", "F", "G", "H");
        return module.build(ByteOrder.LITTLE_ENDIAN);
    }

    private static ModuleBuilder module(String name, byte[] types) {
        return ModuleBuilder.typical(Machine.X86_64, name).oddities(Oddities.NONE.andBtf(types));
    }

    private List<Verdict> check(FactsCache cache) {
        return Checker.check(
                        new CheckRequest(
                                directory,
                                Stream.of(sound, damaged).map(Path::toString).toList(),
                                List.of(RELEASE),
                                null,
                                true,
                                Map.of(),
                                List.of(),
                                new ReadOptions(1, cache),
                                InputStream.nullInputStream()),
                        Progress.NONE)
                .verdicts();
    }

    /**
     * The earlier build of the kernel had fewer strings, so the module's string offsets now point to strings of the
     * kernel.
     */
    @Test
    void typesOfAnotherBuildLeaveTheVerdictUndetermined() throws IOException {
        BtfBuilder module = new BtfBuilder().split();
        module.enumeration("choice", "A", "B", "C", "D", "E", "F", "G", "H");
        write(sound, module("sound", module.build(ByteOrder.LITTLE_ENDIAN)));

        Verdict verdict = check(FactsCache.NONE).get(0);

        assertThat(verdict.outcome()).isEqualTo(Outcome.UNDETERMINED);
        assertThat(verdict.findings()).extracting(Finding::kind).containsExactly(FindingKind.BTF_MISMATCH);
    }

    @Test
    void judgesNamesByTheOffsetInTheKernelsOwnModules() {
        List<Verdict> verdicts = check(FactsCache.NONE);

        assertThat(verdicts).extracting(Verdict::errno).containsExactly(null, "EINVAL");
        assertThat(verdicts.get(0).unchecked()).containsExactly("btf");
        assertThat(verdicts.get(1).findings().get(0).dmesg()).isEqualTo("failed to validate module [damaged] BTF: -22");
    }

    @Test
    void cachesTheAnswer() throws IOException {
        int user = (int) Files.getAttribute(directory, "unix:uid");
        long later = System.currentTimeMillis() * 1_000_000 + HOUR;
        Path kept = directory.resolve("cache");
        FactsCache cache = FactsCache.in(kept, user, 1, () -> later);
        check(cache);
        cache.save();
        Path[] files = {sound, damaged};
        DirectoryCache shelf =
                Objects.requireNonNull(FactsCache.in(kept, user, 1, () -> later).shelves(files)[1]);
        FileIdentity identity = Objects.requireNonNull(FileIdentity.of(damaged));

        assertThat(Objects.requireNonNull(shelf.find(identity, Origin.file("any")))
                        .types())
                .isEqualTo(new JudgedTypes(5, BtfAnswer.EINVAL));
        assertThat(check(FactsCache.in(kept, user, 1, () -> later)))
                .extracting(Verdict::errno)
                .containsExactly(null, "EINVAL");
    }
}
