package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostileApk3Test {
    private static final String DISPLACED = "corrupt apk package: a data block does not match the list of files";

    @TempDir
    Path temp;

    private Path file(byte[] bytes) throws IOException {
        return Files.write(temp.resolve("package"), bytes);
    }

    private void assertRefused(String reason, byte[] bytes) throws IOException {
        Path file = file(bytes);
        assertThatThrownBy(() -> Visited.all(file)).hasMessage(file + ": " + reason);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a package with one list of directories, followed by these blocks. */
    private static byte[] listing(AdbWriter values, int directories, byte[]... blocks) {
        int info = values.object(values.text("m"), values.text("1"));
        byte[] block = values.withRoot(values.object(info, directories));
        return AdbWriter.file(AdbWriter.block(AdbBlocks.VALUES, block), Payloads.concat(blocks));
    }

    /** Returns a package with two files of three bytes each, without digests. */
    private static byte[] two(byte[]... blocks) {
        AdbWriter values = new AdbWriter();
        int a = values.object(values.text("a"), 0, values.number(3));
        int b = values.object(values.text("b"), 0, values.number(3));
        int files = values.object(a, b);
        return listing(values, values.object(values.object(values.text("d"), 0, files)), blocks);
    }

    private static byte[] data(int directory, int number) {
        return AdbWriter.data(directory, number, ascii("abc"));
    }

    @Test
    void refusesDataThatIsMisplacedOrMissing() throws IOException {
        assertThat(Visited.all(file(two(data(1, 1), data(1, 2)))).contents).hasSize(2);
        assertRefused(DISPLACED, two(data(1, 2), data(1, 1)));
        assertRefused(DISPLACED, two(data(1, 1), data(1, 1)));
        assertRefused(DISPLACED, two(data(2, 1), data(1, 2)));
        assertRefused(DISPLACED, two(data(0, 0), data(1, 2)));
        assertRefused(DISPLACED, two(AdbWriter.data(1, 1, ascii("ab")), data(1, 2)));
        assertRefused(DISPLACED, two(AdbWriter.block(AdbBlocks.DATA, new byte[3]), data(1, 2)));
        assertRefused("truncated: the apk package ends before its last file", two(data(1, 1)));
        assertRefused("corrupt apk package: data that belongs to no file", two(data(1, 1), data(1, 2), data(1, 3)));
    }

    @Test
    void blocksOutOfOrderAreRefused() throws IOException {
        String disorder = "corrupt apk package: its blocks are out of order";
        byte[] signature = AdbWriter.block(AdbBlocks.SIGNATURE, new byte[20]);
        byte[] values = AdbWriter.block(AdbBlocks.VALUES, new AdbWriter().withRoot(0));
        assertRefused(disorder, two(data(1, 1), signature, data(1, 2)));
        assertRefused(disorder, two(data(1, 1), data(1, 2), signature));
        assertRefused(disorder, two(values, data(1, 1), data(1, 2)));
        assertRefused(disorder, two(AdbWriter.extendedBlock(3, new byte[4])));
        assertRefused(disorder, two(AdbWriter.extendedBlock(1 << 29, new byte[4])));
        assertRefused("corrupt apk package: it does not begin with its list of files", AdbWriter.file(data(1, 1)));
        assertRefused("corrupt apk package: it does not begin with its list of files", AdbWriter.file(signature));
        assertRefused("truncated: the apk package ends before its list of files", AdbWriter.file());
    }

    @Test
    void refusesBlocksOfImpossibleSizes() throws IOException {
        String small = "corrupt apk package: a block smaller than its header";
        assertRefused(small, two(new byte[8]));
        assertRefused(small, two(AdbWriter.extendedHeader(AdbBlocks.DATA, 15)));
        assertRefused(small, two(AdbWriter.extendedHeader(AdbBlocks.DATA, -1)));
        assertRefused(DISPLACED, two(AdbWriter.extendedHeader(AdbBlocks.DATA, Long.MAX_VALUE)));
        assertRefused(
                "unsupported apk package: its list of files is larger than 16777216 bytes",
                AdbWriter.file(AdbWriter.extendedHeader(AdbBlocks.VALUES, Long.MAX_VALUE)));
        assertRefused(
                "truncated: the last entry is cut off",
                AdbWriter.file(AdbWriter.extendedHeader(AdbBlocks.VALUES, 16 << 20)));
    }

    @Test
    void refusesANewerLayoutWithAdvice() throws IOException {
        byte[] apk = two(data(1, 1), data(1, 2));
        apk[12] = 1;
        Path file = file(apk);
        assertThatThrownBy(() -> Visited.all(file))
                .hasMessageStartingWith(file + ": unsupported layout 1 of an apk version 3 package")
                .hasMessageEndingWith("unpack it with 'apk extract --destination DIR', then name DIR");
    }

    @Test
    void detectsEveryTruncation() throws IOException {
        byte[] plain = two(data(1, 1), data(1, 2));
        for (byte[] whole : Apk3Writer.packings(plain)) {
            for (int length = 4; length < whole.length; length++) {
                Path file = file(Arrays.copyOf(whole, length));
                assertThatThrownBy(() -> Visited.all(file))
                        .as("%d of %d bytes", length, whole.length)
                        .isInstanceOf(UnreadableException.class)
                        .hasMessageStartingWith(file + ": truncated");
            }
        }
    }

    /** Changes each word of the list to offsets far outside, just outside, of the word itself, and of the header. */
    @Test
    void readsOrRefusesInvalidOffsets() {
        byte[] whole = two(data(1, 1), data(1, 2));
        int length = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(8) - 4;
        for (int type : new int[] {0x0, 0x1, 0x2, 0x3, 0x8, 0x9, 0xa, 0xd, 0xe, 0xf}) {
            assertSurvives(whole, length, place -> type << 28 | 0x0fffffff);
            assertSurvives(whole, length, place -> type << 28 | length - 1);
            assertSurvives(whole, length, place -> type << 28 | place);
            assertSurvives(whole, length, place -> type << 28);
        }
    }

    private static void assertSurvives(byte[] whole, int length, IntUnaryOperator value) {
        PackageTarget reader = new PackageTarget();
        for (int place = 4; place + 4 <= length; place += 4) {
            byte[] changed = whole.clone();
            ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putInt(12 + place, value.applyAsInt(place));
            assertThatCode(() -> reader.take(changed)).as("word %d", place).doesNotThrowAnyException();
        }
    }

    @Test
    void objectsThatAreLargerThanTheirBlockAreRefused() throws IOException {
        for (int count : new int[] {100, Integer.MAX_VALUE, -1}) {
            AdbWriter values = new AdbWriter();
            assertRefused(
                    "corrupt apk package: a value outside of its block",
                    listing(values, values.object(count, new int[] {0, 0})));
        }
        AdbWriter values = new AdbWriter();
        assertRefused("corrupt apk package: an object without a count", listing(values, values.object(0, new int[] {0, 0
        })));
    }

    @Test
    void stopsAtListsThatContainThemselves() throws IOException {
        AdbWriter values = new AdbWriter();
        int name = values.text("d");
        int itself = AdbWriter.objectAt(values.position());
        byte[] apk = listing(values, values.object(name, AdbWriter.NOTHING, itself));
        assertRefused("corrupt apk package: a file without a name", apk);
    }

    @Test
    void stopsAtListsThatRepeatThemselves() throws IOException {
        AdbWriter values = new AdbWriter();
        int file = values.object(values.text("f"));
        int[] files = new int[1000];
        Arrays.fill(files, file);
        int directory = values.object(values.text("d"), 0, values.object(files));
        int[] directories = new int[1000];
        Arrays.fill(directories, directory);
        Path place = file(listing(values, values.object(directories)));
        String message = place + ": more than 500000 entries; rest not read";
        assertThatThrownBy(() -> Visited.all(place)).hasMessage(message);
        Visited none = Visited.none();
        assertThatThrownBy(() -> none.of(place)).hasMessage(message);
    }

    @Test
    void countsDevicesAndNamelessDirectories() throws IOException {
        AdbWriter values = new AdbWriter();
        byte[] target = new byte[10];
        target[1] = 0x20;
        int[] files = new int[1001];
        Arrays.fill(files, values.object(values.text("f"), 0, 0, 0, 0, values.bytes(target)));
        int[] directories = new int[600];
        Arrays.fill(directories, values.object(0, 0, values.object(files)));
        Path devices = file(listing(values, values.object(directories)));
        assertThatThrownBy(() -> Visited.all(devices))
                .hasMessage(devices + ": more than 500000 entries; rest not read");

        AdbWriter others = new AdbWriter();
        Path nameless = file(listing(others, others.object(new int[500_001])));
        assertThatThrownBy(() -> Visited.all(nameless))
                .hasMessage(nameless + ": more than 500000 entries; rest not read");
    }

    @Test
    void limitsTheLengthOfAllNamesEvenIfEqual() throws IOException {
        AdbWriter values = new AdbWriter();
        int[] files = new int[2000];
        Arrays.fill(files, values.object(values.text("n".repeat(60_000))));
        int directory = values.object(values.text("d"), 0, values.object(files));
        Path file = file(listing(values, values.object(directory)));
        String message = file + ": its file names and link targets have more than 67108864 characters; rest not read";
        assertThatThrownBy(() -> Visited.all(file)).hasMessage(message);
        Visited none = Visited.none();
        assertThatThrownBy(() -> none.of(file)).hasMessage(message);
    }

    @Test
    void stopsAtRelationsThatRepeatALongName() throws IOException {
        Apk3Writer apk = Apk3Writer.named("m", "1");
        int[] many = new int[60_000];
        Arrays.fill(many, apk.relation("n".repeat(60_000)));
        assertRefused(
                "its list of dependencies is longer than 4194304 characters",
                apk.depends(many).bytes());
        Apk3Writer more = Apk3Writer.named("m", "1");
        assertRefused(
                "corrupt apk package: more than 65536 dependencies",
                more.depends(new int[70_000]).bytes());
    }

    @Test
    void refusesStringsThatAreTooLong() throws IOException {
        AdbWriter values = new AdbWriter();
        int directory = values.object(values.text("d".repeat(70_000)));
        assertRefused("corrupt apk package: a text of 70000 bytes", listing(values, values.object(directory)));
    }

    @Test
    void leavesOutNamesOutsideThePackage() throws IOException {
        Visited visited = Visited.all(file(Apk3Writer.named("m", "1")
                .directory("../../etc")
                .file("passwd", "x")
                .directory("lib")
                .file("../../m.ko", "x")
                .file("nul\0.ko", "x")
                .hardlink("h.ko", "../../etc/shadow")
                .symlink("evil.ko", "../../../../etc/shadow")
                .directory("/lib/modules")
                .file("/absolute.ko", "x")
                .bytes()));
        assertThat(visited.entries.keySet())
                .containsExactly("/lib", "/lib/evil.ko", "/lib/modules", "/lib/modules/absolute.ko");
        String leads = ": leads out of the package or is not a path; left out";
        assertThat(visited.problems)
                .containsExactly(
                        "../../etc" + leads,
                        "../../etc/passwd" + leads,
                        "lib/../../m.ko" + leads,
                        "lib/nul\0.ko" + leads,
                        "/lib/h.ko: a hard link that leads out of the package; left out");
    }

    @Test
    void refusesUnknownFileTypesAndDigestLengths() throws IOException {
        Apk3Writer socket = Apk3Writer.named("m", "1").directory("d");
        assertRefused(
                "corrupt apk package: a file of no known type",
                socket.target("s", 0xc000, new byte[8]).bytes());
        AdbWriter values = new AdbWriter();
        int file = values.object(values.text("f"), 0, 0, 0, 0, values.bytes(new byte[1]));
        int directory = values.object(values.text("d"), 0, values.object(file));
        assertRefused("corrupt apk package: a file of no known type", listing(values, values.object(directory)));
        Apk3Writer digest = Apk3Writer.named("m", "1").directory("d");
        assertRefused(
                "corrupt apk package: a digest of 7 bytes (expected 20, 32 or 64)",
                digest.file("f", ascii("x"), new byte[7]).bytes());
    }

    @Test
    void refusesAPackageWithoutANameOrValues() throws IOException {
        String nameless = "corrupt apk package: it has no name";
        byte[] empty = new AdbWriter().withRoot(0);
        assertRefused(nameless, AdbWriter.file(AdbWriter.block(AdbBlocks.VALUES, empty)));
        assertRefused(
                "corrupt apk package: it has no header",
                AdbWriter.file(AdbWriter.block(AdbBlocks.VALUES, new byte[7])));
    }

    @Test
    void refusesHugeSizes() throws IOException {
        for (long size : new long[] {-1, Long.MIN_VALUE}) {
            AdbWriter values = new AdbWriter();
            int file = values.object(values.text("f"), 0, values.number64(size));
            int directory = values.object(values.text("d"), 0, values.object(file));
            assertRefused("corrupt apk package: a number out of range", listing(values, values.object(directory)));
        }
        AdbWriter values = new AdbWriter();
        int file = values.object(values.text("f"), 0, values.number64(Long.MAX_VALUE));
        int directory = values.object(values.text("d"), 0, values.object(file));
        assertRefused(DISPLACED, listing(values, values.object(directory), data(1, 1)));
    }
}
