package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Progress;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Modules that the kernel has to decompress. The expected results are those of a booted kernel 7.2. */
class CompressedModulesTest {
    private static final String RELEASE = "6.12.1-test";
    private static final String NEW_KMOD = "/sys/module/%s/initstate\0/sys/module/compression\0";
    private static final String OLD_KMOD = "/sys/module/%s/initstate\0";

    @TempDir
    Path root;

    @ParameterizedTest
    @CsvSource({
        "xz, new, XZ_CRC64, INCOMPATIBLE",
        "xz, new, XZ_CRC32, COMPATIBLE",
        "xz, new, GZIP, COMPATIBLE",
        "xz, new, ZSTD, COMPATIBLE",
        "zstd, new, XZ_CRC64, COMPATIBLE",
        "zstd, new, ZSTD, COMPATIBLE",
        "no, new, XZ_CRC64, COMPATIBLE",
        "xz, old, XZ_CRC64, COMPATIBLE",
        "xz, none, XZ_CRC64, COMPATIBLE",
        "unknown, new, XZ_CRC64, COMPATIBLE"
    })
    void refusesFilesTheKernelCannotDecompress(String kernel, String kmod, Compression compression, Outcome outcome) {
        Verdict verdict = check(
                kernel,
                kmod,
                "m.ko" + compression.ending(),
                compression.compress(module("m").build()));

        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(outcome);
        boolean isNoted = compression == Compression.XZ_CRC64
                && (kernel.equals("unknown") || kernel.equals("xz") && !kmod.equals("old"));
        assertThat(verdict.findings())
                .extracting(Finding::kind)
                .isEqualTo(isNoted ? List.of(FindingKind.FILE_COMPRESSION) : List.of());
        if (outcome == Outcome.INCOMPATIBLE) {
            assertThat(verdict.errno()).isEqualTo("EINVAL");
            assertThat(verdict.findings().get(0).dmesg()).isEqualTo("decompression failed with status 6");
        }
    }

    /** A booted kernel 6.12 refused this window, and kmod refuses it too. */
    @ParameterizedTest
    @CsvSource({"zstd, new, ZSTD-decompression failed with status 16", "xz, new, ", "no, old, "})
    void refusesAWindowThatNoDecoderAccepts(String kernel, String kmod, String line) {
        Verdict verdict =
                check(kernel, kmod, "m.ko.zst", stored(0x90, module("m").build()));

        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(Outcome.INCOMPATIBLE);
        assertThat(verdict.findings()).extracting(Finding::dmesg).containsExactly(line);
    }

    @ParameterizedTest
    @CsvSource({"unknown, COMPATIBLE", "zstd, UNDETERMINED", "xz, COMPATIBLE"})
    void namesMemoryAsTheReasonForALargeWindow(String kernel, Outcome outcome) {
        Verdict verdict =
                check(kernel, "new", "m.ko.zst", stored(0x88, module("m").build()));

        assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(outcome);
        assertThat(verdict.findings())
                .extracting(Finding::detail)
                .allMatch(detail -> String.valueOf(detail)
                        .startsWith("compressed with a dictionary or window of more than 64 MiB, for which the"
                                + " kernel may lack memory"))
                .hasSize(kernel.equals("xz") ? 0 : 1);
    }

    /** Returns a zstd frame with the content size, this window descriptor and one raw block. */
    private static byte[] stored(int window, byte[] plain) {
        return ByteBuffer.allocate(13 + plain.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0xfd2fb528)
                .put((byte) 0x80)
                .put((byte) window)
                .putInt(plain.length)
                .put((byte) (plain.length << 3 | 1))
                .putShort((short) (plain.length >> 5))
                .put(plain)
                .array();
    }

    private Verdict check(String kernel, String kmod, String name, byte[] file) {
        TreeBuilder tree = TreeBuilder.in(root)
                .symvers(
                        SymversPlace.USR_SRC_HEADERS,
                        RELEASE,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", Kind.EXPORT_SYMBOL, 0x11223344))
                .module(RELEASE, "kernel/own.ko", module("own"))
                .file("given/" + name, file);
        if (!kernel.equals("unknown")) {
            tree.config(
                    RELEASE,
                    "CONFIG_MODVERSIONS=y",
                    kernel.equals("no") ? "# CONFIG_MODULE_DECOMPRESS is not set" : "CONFIG_MODULE_DECOMPRESS=y",
                    "CONFIG_MODULE_COMPRESS_" + kernel.toUpperCase(java.util.Locale.ROOT) + "=y");
        }
        if (!kmod.equals("none")) {
            tree.file("usr/bin/kmod", (kmod.equals("new") ? NEW_KMOD : OLD_KMOD).getBytes(StandardCharsets.US_ASCII));
        }

        CheckRequest request = new CheckRequest(
                root,
                List.of(root.resolve("given").toString()),
                List.of(RELEASE),
                null,
                true,
                Map.of(),
                List.of(),
                new ReadOptions(1, FactsCache.NONE),
                InputStream.nullInputStream());
        return Checker.check(request, Progress.NONE).verdicts().get(0);
    }

    private static ModuleBuilder module(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ");
    }
}
