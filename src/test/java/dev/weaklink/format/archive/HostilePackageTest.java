package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostilePackageTest {
    @TempDir
    Path temp;

    private Path file(byte[] bytes) throws IOException {
        return Files.write(temp.resolve("package"), bytes);
    }

    @Test
    void leavesOutNamesOutsideThePackage() throws IOException {
        Path file = file(new TarWriter()
                .file("../../etc/passwd", "x")
                .file("lib/../../m.ko", "x")
                .file("/lib/modules/absolute.ko", "x")
                .hardlink("lib/h.ko", "../../etc/shadow")
                .symlink("lib/evil.ko", "../../../../etc/shadow")
                .bytes());
        Visited visited = Visited.all(file);
        assertThat(visited.entries.keySet()).containsExactly("/lib/evil.ko", "/lib/modules/absolute.ko");
        assertThat(visited.problems)
                .containsExactly(
                        "../../etc/passwd: leads out of the package or is not a path; left out",
                        "lib/../../m.ko: leads out of the package or is not a path; left out",
                        "/lib/h.ko: a hard link that leads out of the package; left out");
    }

    @Test
    void reportsManyHostileNamesInFewLines() throws IOException {
        TarWriter tar = new TarWriter();
        for (int i = 0; i < 1000; i++) {
            tar.file("../" + i, "");
        }
        Visited visited = Visited.all(file(tar.bytes()));
        assertThat(visited.problems).hasSize(21).last().asString().startsWith(": more entries were left out");
    }

    /** Writes gigabytes of zeros in compressed form, one block at a time. */
    private Path bomb(byte[] head, long zeros) throws IOException {
        Path file = temp.resolve("bomb");
        byte[] block = new byte[1 << 20];
        try (OutputStream out = new GZIPOutputStream(new BufferedOutputStream(Files.newOutputStream(file))) {
            {
                def.setLevel(Deflater.BEST_SPEED);
            }
        }) {
            out.write(head);
            for (long written = 0; written < zeros; written += block.length) {
                out.write(block);
            }
        }
        return file;
    }

    @Test
    void stopsEarlyAtABombOfZeros() throws IOException {
        byte[] header = Arrays.copyOf(tarHeader("m.ko", "10000000000"), TarReader.RECORD);
        Path file = bomb(header, 400L << 20);
        PackageLimits tight = new PackageLimits(10, 1000, 1L << 40, 1L << 40, 100, 4, 65536);
        Visited none = Visited.none();
        assertThatThrownBy(() -> none.of(file, tight))
                .hasMessage(file + ": expands to more than 100 times its size; rest not read");
    }

    @Test
    void limitsTheTotalOfAllStreams() throws IOException {
        byte[] header = Arrays.copyOf(tarHeader("m.ko", "10000000000"), TarReader.RECORD);
        Path file = bomb(header, 8L << 20);
        PackageLimits tight = new PackageLimits(10, 1000, 1L << 40, 1 << 20, 10_000, 4, 65536);
        Visited none = Visited.none();
        assertThatThrownBy(() -> none.of(file, tight))
                .hasMessage(file + ": contains more than 1048576 bytes; rest not read");
    }

    /** Returns a ustar header with a size in octal digits. */
    private static byte[] tarHeader(String name, String octalSize) {
        byte[] header = new byte[TarReader.RECORD];
        put(header, 0, name);
        put(header, 100, "0000644");
        put(header, 124, "0".repeat(11 - octalSize.length()) + octalSize);
        put(header, 148, "        ");
        header[156] = '0';
        put(header, 257, "ustar\00000");
        int sum = 0;
        for (byte b : header) {
            sum += b & 0xff;
        }
        put(header, 148, String.format("%06o", sum) + "\0 ");
        return header;
    }

    private static void put(byte[] header, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, offset, bytes.length);
    }

    @Test
    void leavesOutEntriesThatAreTooLarge() throws IOException {
        PackageLimits tight = new PackageLimits(10, 1000, 5, 1 << 20, 100, 4, 65536);
        Path file = file(new TarWriter()
                .file("large.ko", "sixsix")
                .file("small.ko", "five5")
                .bytes());
        Visited visited = Visited.all(file, tight);
        assertThat(visited.contents).containsOnlyKeys("/small.ko");
        assertThat(visited.problems).containsExactly("/large.ko: larger than 5 bytes; left out");
    }

    @Test
    void packagesAreReadToALimitedDepth() throws IOException {
        byte[] nested = new TarWriter().file("m.ko", "x").bytes();
        for (int depth = 9; depth > 0; depth--) {
            nested = Packing.GZIP.pack(
                    new TarWriter().file("level" + depth, nested).bytes());
        }
        Path file = file(nested);
        Visited visited = Visited.wanting(path -> path.endsWith(".ko")).of(file);
        assertThat(visited.entries).isEmpty();
        assertThat(visited.problems)
                .containsExactly("/level1!/level2!/level3!/level4: a package nested too deep; not read");
    }

    @Test
    void stopsAtTooManyEntries() throws IOException {
        PackageLimits tight = new PackageLimits(100, 1 << 20, 5, 1 << 20, 100, 4, 65536);
        TarWriter tar = new TarWriter();
        for (int i = 0; i < 101; i++) {
            tar.file("f" + i, "");
        }
        Path file = file(tar.bytes());
        assertThatThrownBy(() -> Visited.all(file, tight)).hasMessage(file + ": more than 100 entries; rest not read");
    }

    @Test
    void readsHalfAMillionEntriesWithoutKeepingThem() throws IOException {
        byte[] header = tarHeader("f", "0");
        byte[] thousand = new byte[1000 * header.length];
        for (int i = 0; i < thousand.length; i += header.length) {
            System.arraycopy(header, 0, thousand, i, header.length);
        }
        byte[] packed = Packing.GZIP.pack(thousand);
        Path file = temp.resolve("million");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < 1001; i++) {
                out.write(packed);
            }
        }
        Visited none = Visited.none();
        assertThatThrownBy(() -> none.of(file)).hasMessage(file + ": more than 500000 entries; rest not read");
    }

    @Test
    void limitsTheLengthOfAllNames() throws IOException {
        PackageLimits tight = new PackageLimits(100, 1000, 5, 1 << 20, 100, 4, 65536);
        TarWriter tar = new TarWriter();
        for (int i = 0; i < 11; i++) {
            tar.file("n".repeat(99), "");
        }
        Path file = file(tar.bytes());
        assertThatThrownBy(() -> Visited.all(file, tight))
                .hasMessage(file + ": its file names and link targets have more than 1000 characters; rest not read");
    }

    @Test
    void doesNotStoreANameOfAHundredMegabytes() throws IOException {
        byte[] header = tarHeader("././@LongLink", "600000000");
        header[156] = 'L';
        fixChecksum(header);
        Path file = bomb(header, 100L << 20);
        assertThatThrownBy(() -> Visited.all(file))
                .hasMessage(file + ": corrupt tar archive: a header is longer than 256 KiB");
    }

    @Test
    void stopsAtEndlessChainsOfLongNames() throws IOException {
        byte[] header = tarHeader("././@LongLink", "0");
        header[156] = 'L';
        fixChecksum(header);
        byte[] chain = new byte[20_000 * TarReader.RECORD];
        for (int i = 0; i < chain.length; i += header.length) {
            System.arraycopy(header, 0, chain, i, header.length);
        }
        Path file = file(Packing.GZIP.pack(chain));
        assertThatThrownBy(() -> Visited.all(file)).hasMessageStartingWith(file + ": ");
    }

    private static void fixChecksum(byte[] header) {
        put(header, 148, "        ");
        int sum = 0;
        for (byte b : header) {
            sum += b & 0xff;
        }
        put(header, 148, String.format("%06o", sum) + "\0 ");
    }

    @Test
    void detectsWrongSizesOfAllEntries() throws IOException {
        byte[] tar = Payloads.concat(tarHeader("m.ko", "7777777"), "short".getBytes(StandardCharsets.US_ASCII));
        byte[] ar = new ArWriter()
                .member("debian-binary", "2.0\n")
                .member("control.tar", Samples.control())
                .member("data.tar", Samples.data(), "9999999999")
                .bytes();
        byte[] arControl = new ArWriter()
                .member("debian-binary", "2.0\n")
                .member("control.tar", Samples.control(), "9999999999")
                .bytes();
        for (byte[] lying : List.of(tar, Packing.GZIP.pack(tar), ar, arControl)) {
            Path file = file(lying);
            assertThatThrownBy(() -> Visited.all(file)).hasMessageStartingWith(file + ": truncated");
            assertThatThrownBy(() -> Visited.none().of(file)).hasMessageStartingWith(file + ": truncated");
        }
    }

    @Test
    void reportsEveryTruncationOfADeb() throws IOException {
        for (Packing packing : List.of(Packing.GZIP, Packing.XZ, Packing.ZSTD)) {
            byte[] whole = Samples.deb(packing, packing);
            for (int length = 8; length < whole.length - 1; length += 5) {
                Path file = file(Arrays.copyOf(whole, length));
                assertThatThrownBy(() -> Visited.all(file))
                        .as("%s: %d of %d bytes", packing, length, whole.length)
                        .isInstanceOf(UnreadableException.class)
                        .hasMessageStartingWith(file + ": ");
            }
        }
    }

    @Test
    void refusesADecoderThatNeedsTooMuchMemory() throws IOException {
        Path file = file(Packing.XZ.pack(Samples.data()));
        PackageLimits tight = new PackageLimits(100, 1000, 500, 1 << 20, 100, 4, 100);
        assertThatThrownBy(() -> Visited.all(file, tight))
                .hasMessageStartingWith(file + ": needs ")
                .hasMessageEndingWith(" KiB of memory to decode, but the limit is 100 KiB");
    }

    @Test
    void writesNothing() throws IOException {
        Path file = file(Samples.deb(Packing.GZIP, Packing.XZ));
        Visited.all(file);
        try (var files = Files.list(temp)) {
            assertThat(files).containsExactly(file);
        }
    }
}
