package dev.weaklink.system.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.image.KernelImage.ImageTypes;
import dev.weaklink.sys.FileIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TypesSegmentTest {
    private static final Path IMAGE = Path.of("/boot/vmlinuz-6.1.0-1-test");
    private static final FileIdentity IDENTITY = new FileIdentity(8, 77, 1000, 1_001, 2_002);
    private static final long LATER = 10_000_000_000L;
    private static final ImageTypes TYPES = new ImageTypes("6.1.0-1-test", ByteBuffer.wrap(new byte[] {4, 5, 6}), null);

    @TempDir
    Path directory;

    private int user;

    @BeforeEach
    void findOutWhoWeAre() throws IOException {
        user = (int) Files.getAttribute(directory, "unix:uid");
    }

    private FactsCache cache(long program) {
        return FactsCache.in(directory.resolve("facts"), user, program, () -> LATER);
    }

    @Test
    void readsTheCachedTypes() {
        cache(1).keep(IMAGE, IDENTITY, LATER, TYPES);
        assertThat(cache(1).types(IMAGE, IDENTITY)).isEqualTo(TYPES);
        ImageTypes without = new ImageTypes("6.1.0-1-test", null, null);
        cache(1).keep(IMAGE, IDENTITY, LATER, without);
        assertThat(cache(1).types(IMAGE, IDENTITY)).isEqualTo(without);
    }

    @Test
    void cachesAllFactsOfExports() {
        ExportTableBuilder rows = new ExportTableBuilder(3);
        int vmlinux = rows.owner("vmlinux");
        byte[] names = "firstsecondthird".getBytes(StandardCharsets.US_ASCII);
        rows.add(names, 0, 5, 0xdeadbeef, true, vmlinux, rows.namespace("USB"));
        rows.add(names, 5, 6, 0, false, vmlinux, rows.namespace(null));
        rows.add(names, 11, 5, null, null, vmlinux, rows.namespace(""));
        ExportTable exports = rows.build();

        cache(1).keep(IMAGE, IDENTITY, LATER, new ImageTypes("6.1", null, exports));

        ImageTypes kept = cache(1).types(IMAGE, IDENTITY);
        assertThat(kept.section()).isNull();
        assertThat(rows(kept.exports())).isEqualTo(rows(exports)).hasSize(3);
    }

    private static List<String> rows(ExportTable exports) {
        return IntStream.range(0, exports.size())
                .mapToObj(row -> String.join(
                        " ",
                        exports.names().name(row),
                        String.valueOf(exports.hasCrc(row)),
                        Integer.toHexString(exports.crc(row)),
                        String.valueOf(exports.isLicenseKnown(row)),
                        String.valueOf(exports.isGplOnly(row)),
                        exports.owner(row),
                        String.valueOf(exports.namespace(row))))
                .toList();
    }

    @Test
    void findsNothingForAnotherFileProgramOrPlace() {
        cache(1).keep(IMAGE, IDENTITY, LATER, TYPES);
        FileIdentity changed = new FileIdentity(8, 77, 1000, 1_001, 2_003);
        assertThat(cache(1).types(IMAGE, changed)).isNull();
        assertThat(cache(2).types(IMAGE, IDENTITY)).isNull();
        assertThat(cache(1).types(Path.of("/boot/vmlinuz"), IDENTITY)).isNull();
        assertThat(FactsCache.NONE.types(IMAGE, IDENTITY)).isNull();
    }

    /** The file could change again and keep its identity. */
    @Test
    void doesNotCacheAnImageThatJustChanged() {
        cache(1).keep(IMAGE, IDENTITY, 2_003, TYPES);
        assertThat(cache(1).types(IMAGE, IDENTITY)).isNull();
    }

    @Test
    void ignoresASegmentWithAnyDamagedByte() throws IOException {
        Path file = kept();
        byte[] bytes = Files.readAllBytes(file);
        for (int place = 0; place < bytes.length; place++) {
            byte[] damaged = bytes.clone();
            damaged[place] ^= 1;
            Files.write(file, damaged);
            assertThat(cache(1).types(IMAGE, IDENTITY)).as("byte %d", place).isNull();
        }
    }

    @Test
    void ignoresATruncatedEntry() throws IOException {
        Path file = kept();
        byte[] bytes = Files.readAllBytes(file);
        for (int length = 0; length < bytes.length; length++) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThat(cache(1).types(IMAGE, IDENTITY)).as("%d bytes", length).isNull();
        }
        Files.write(file, bytes);
        assertThat(cache(1).types(IMAGE, IDENTITY)).isNotNull();
    }

    private Path kept() throws IOException {
        cache(1).keep(IMAGE, IDENTITY, LATER, TYPES);
        try (var files = Files.list(directory.resolve("facts"))) {
            return files.findFirst().orElseThrow();
        }
    }
}
