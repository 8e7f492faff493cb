package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.testing.Payloads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Apk3PackageTest {
    private static final String MISMATCH = "contents do not match their SHA-256 digest; not used";

    @TempDir
    Path temp;

    private Path file(byte[] bytes) throws IOException {
        return Files.write(temp.resolve("package"), bytes);
    }

    private Visited visited(Apk3Writer apk) throws IOException {
        return Visited.all(file(apk.bytes()));
    }

    private static PackageInfo info(Path file) throws IOException {
        try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
            return open.info();
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static Apk3Writer one() {
        return Apk3Writer.named("kmod-m", "2.0-r1").directory("lib").file("m.ko", "the module");
    }

    /** Uses bytes that were written by hand from apk-v3(5), not by the writer of the other tests. */
    @Test
    void readsEveryFieldOfTheFormat() throws IOException {
        String block = "00000000 780000e0" // 0: header and root
                + "016d 0131" // 8: "m", 10: "1"
                + "03000000 08000080 0a000080" // 12: name and version
                + "0164 0166" // 24: "d", 26: "f"
                + "20 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // 28: of "abc"
                + "000000"
                + "06000000 1a000080 00000000 03000010 00000000 1c000080" // 64: the file
                + "02000000 400000e0" // 88: the files
                + "04000000 18000080 00000000 580000e0" // 96: the directory
                + "02000000 600000e0" // 112: the directories
                + "03000000 0c0000e0 700000e0"; // 120: the root
        String data = "0f000080 01000000 01000000 616263 00";
        String hex = "4144422e 70636b67 88000000" + block + data;
        Path file = file(HexFormat.of().parseHex(hex.replace(" ", "")));
        assertThat(info(file)).isEqualTo(new PackageInfo(PackageKind.APK, "m", "1", null, List.of()));
        Visited visited = Visited.all(file);
        assertThat(visited.entries.keySet()).containsExactly("/d", "/d/f");
        assertThat(visited.text("/d/f")).isEqualTo("abc");
        assertThat(visited.problems).isEmpty();
    }

    /**
     * Compares the beginning with OpenWrt's packages. In crowdsec-1.6.2-r1 of 25.12, the first words are 0x1614, 0 and
     * 0xe0001600, and the length of the name follows. The root object is the last value; it has three slots if the
     * package has scripts.
     */
    @Test
    void testsWriterWritesPackagesLikeApk() {
        ByteBuffer apk = ByteBuffer.wrap(Samples.apk3()).order(ByteOrder.LITTLE_ENDIAN);
        int size = apk.getInt(8);
        int root = apk.getInt(16);
        assertThat(apk.getInt(12)).isZero();
        assertThat(root >>> 28).isEqualTo(0xe);
        assertThat(size - (root & 0x0fffffff)).isEqualTo(0x1614 - 0x1600);
        assertThat(apk.getInt(12 + (root & 0x0fffffff))).isEqualTo(4);
        assertThat(apk.get(20)).isEqualTo((byte) "kmod-m".length());
    }

    @Test
    void packagesAreReadInEveryPacking() throws IOException {
        for (byte[] apk : Apk3Writer.packings(Samples.apk3())) {
            Path file = file(apk);
            assertThat(info(file))
                    .isEqualTo(new PackageInfo(
                            PackageKind.APK,
                            "kmod-m",
                            "2.0-r1",
                            "package/m",
                            List.of(
                                    new PackageRelation("kernel", "=", "6.6.73~abc-r1"),
                                    new PackageRelation("kmod-n", "", ""))));
            Visited visited = Visited.all(file);
            assertThat(visited.text(Samples.MODULE)).isEqualTo(Samples.MODULE_TEXT);
            assertThat(visited.problems).isEmpty();
            assertThat(PackageReader.isPackage(file)).isTrue();
        }
    }

    @Test
    void namesAnUnknownCompression() throws IOException {
        Path file = file(Apk3Writer.named(3, new byte[100]));
        assertThatThrownBy(() -> info(file)).hasMessage(file + ": unsupported apk package: unknown compression (3)");
    }

    @Test
    void filesLinksAndDirectoriesHaveAbsolutePaths() throws IOException {
        Visited visited = visited(Apk3Writer.named("m", "1")
                .directory("")
                .file("init", "#!")
                .directory("lib/modules/6.6.73")
                .file("empty.ko", "")
                .device("console")
                .file("m.ko", "the module")
                .hardlink("n.ko", "lib/modules/6.6.73/m.ko")
                .symlink("build", "/usr/src/linux"));
        String directory = "/lib/modules/6.6.73";
        assertThat(visited.entries.keySet())
                .containsExactly(
                        "/",
                        "/init",
                        directory,
                        directory + "/build",
                        directory + "/empty.ko",
                        directory + "/m.ko",
                        directory + "/n.ko");
        assertThat(visited.text(directory + "/m.ko")).isEqualTo("the module");
        assertThat(visited.text(directory + "/empty.ko")).isEmpty();
        assertThat(visited.entries.get(directory + "/n.ko"))
                .extracting(PackageEntry::type, PackageEntry::target)
                .containsExactly(EntryType.HARDLINK, directory + "/m.ko");
        assertThat(visited.entries.get(directory + "/build"))
                .extracting(PackageEntry::type, PackageEntry::target)
                .containsExactly(EntryType.SYMLINK, "/usr/src/linux");
        assertThat(visited.problems).isEmpty();
    }

    @Test
    void filesOfEveryLengthAreRead() throws IOException {
        Apk3Writer apk = Apk3Writer.named("m", "1").directory("d");
        for (int length = 0; length < 20; length++) {
            apk.file("f" + length, "x".repeat(length));
        }
        Visited visited = visited(apk);
        for (int length = 0; length < 20; length++) {
            assertThat(visited.text("/d/f" + length)).isEqualTo("x".repeat(length));
        }
    }

    @Test
    void writesVersionOperatorsAsInTheSecondFormat() throws IOException {
        Apk3Writer apk = Apk3Writer.named("m", "1");
        int[] relations = {
            apk.relation("a"),
            apk.relation("b", "1"),
            apk.relation("c", "1", 2),
            apk.relation("d", "1", 3),
            apk.relation("e", "1", 4),
            apk.relation("f", "1", 5),
            apk.relation("g", "1", 8),
            apk.relation("h", "1", 9),
            apk.relation("i", "1", 13),
            apk.relation("conflict", "1", 17),
            AdbWriter.NOTHING
        };
        assertThat(info(file(apk.depends(relations).bytes())).requires())
                .containsExactly(
                        new PackageRelation("a", "", ""),
                        new PackageRelation("b", "=", "1"),
                        new PackageRelation("c", "<", "1"),
                        new PackageRelation("d", "<=", "1"),
                        new PackageRelation("e", ">", "1"),
                        new PackageRelation("f", ">=", "1"),
                        new PackageRelation("g", "~", "1"),
                        new PackageRelation("h", "~", "1"),
                        new PackageRelation("i", ">~", "1"));
    }

    /** Writes values in every form, and a file behind an extended header. */
    @Test
    void acceptsValuesAndBlocksOfEveryWidth() throws IOException {
        AdbWriter values = new AdbWriter();
        byte[] digest = Apk3Writer.digest("SHA-256", ascii("abc"));
        int[] files = {
            values.object(values.bytes(ascii("a"), 2), 0, values.number32(3), 0, values.bytes(digest, 4)),
            values.object(values.bytes(ascii("b"), 4), 0, values.number64(3), 0, values.bytes(digest, 2))
        };
        int directory = values.object(values.text("d"), 0, values.array(files));
        int info = values.object(values.bytes(ascii("m"), 4), values.bytes(ascii("1"), 2));
        byte[] block = values.withRoot(values.object(info, values.array(directory)));
        Visited visited = Visited.all(file(AdbWriter.file(
                AdbWriter.extendedBlock(AdbBlocks.VALUES, block),
                AdbWriter.extendedBlock(AdbBlocks.DATA, AdbWriter.dataOf(1, 1, ascii("abc"))),
                AdbWriter.data(1, 2, ascii("abc")))));
        assertThat(visited.text("/d/a")).isEqualTo("abc");
        assertThat(visited.text("/d/b")).isEqualTo("abc");
        assertThat(visited.problems).isEmpty();
    }

    @Test
    void skipsSignatures() throws IOException {
        Visited visited = visited(one().signature(new byte[70]).signature(new byte[3]));
        assertThat(visited.text("/lib/m.ko")).isEqualTo("the module");
        assertThat(visited.problems).isEmpty();
    }

    @Test
    void leavesOutOnlyContentsWithAWrongDigest() throws IOException {
        byte[] large = new byte[300_000];
        byte[] other = large.clone();
        other[other.length - 1] = 1;
        Visited visited = visited(Apk3Writer.named("m", "1")
                .directory("lib")
                .file("a.ko", "good")
                .file("b.ko", ascii("bad"), Apk3Writer.digest("SHA-256", ascii("Bad")))
                .file("c.ko", large, Apk3Writer.digest("SHA-256", other))
                .file("d.ko", new byte[0], Apk3Writer.digest("SHA-256", ascii("more")))
                .file("e.ko", large)
                .file("f.ko", "good, too"));
        assertThat(visited.contents.keySet()).containsExactly("/lib/a.ko", "/lib/e.ko", "/lib/f.ko");
        assertThat(visited.problems)
                .containsExactly("/lib/b.ko: " + MISMATCH, "/lib/c.ko: " + MISMATCH, "/lib/d.ko: " + MISMATCH);
    }

    @Test
    void verifiesOtherDigestsAndAcceptsAMissingOne() throws IOException {
        Apk3Writer apk = Apk3Writer.named("m", "1").directory("lib");
        for (String algorithm : List.of("SHA-1", "SHA-512")) {
            apk.file(algorithm, ascii("good"), Apk3Writer.digest(algorithm, ascii("good")))
                    .file("not" + algorithm, ascii("bad"), Apk3Writer.digest(algorithm, ascii("good")));
        }
        Visited visited = visited(apk.file("none", ascii("any"), new byte[0]));
        assertThat(visited.contents.keySet()).containsExactly("/lib/SHA-1", "/lib/SHA-512", "/lib/none");
        assertThat(visited.problems)
                .containsExactly(
                        "/lib/notSHA-1: " + MISMATCH.replace("SHA-256", "SHA-1"),
                        "/lib/notSHA-512: " + MISMATCH.replace("SHA-256", "SHA-512"));
    }

    @Test
    void skipsTheFilesIfNoneIsWanted() throws IOException {
        byte[] whole = one().bytes();
        Path file = file(Arrays.copyOf(whole, whole.length - 8));
        Visited none = Visited.wanting(path -> path.endsWith(".xz")).of(file);
        assertThat(none.entries).isEmpty();
        assertThat(none.problems).isEmpty();
    }

    @Test
    void skipsUnwantedFiles() throws IOException {
        Path file = file(Apk3Writer.named("m", "1")
                .directory("lib")
                .file("large", new byte[200_000], new byte[32])
                .file("m.ko", "the module")
                .file("more", "more")
                .deflated());
        Visited visited = Visited.wanting(path -> path.endsWith(".ko")).of(file);
        assertThat(visited.entries.keySet()).containsExactly("/lib/m.ko");
        assertThat(visited.text("/lib/m.ko")).isEqualTo("the module");
        assertThat(visited.problems).isEmpty();
    }

    @Test
    void doesNotTreatAnIndexAsAPackageOrAProblem() throws IOException {
        byte[] block = new AdbWriter().withRoot(0);
        byte[] index = Payloads.concat(ascii("ADB.indx"), AdbWriter.block(AdbBlocks.VALUES, block));
        Path file = file(Apk3Writer.deflated(index));
        assertThatThrownBy(() -> info(file)).hasMessageStartingWith(file + ": not a package");
        assertThat(PackageReader.isPackage(file)).isFalse();
        byte[] bundle = new TarWriter()
                .file("packages.adb", Apk3Writer.deflated(index))
                .file("m.apk", one().deflated())
                .bytes();
        Visited visited = Visited.wanting(path -> path.endsWith(".ko")).of(file(bundle));
        assertThat(visited.text("/m.apk!/lib/m.ko")).isEqualTo("the module");
        assertThat(visited.problems).isEmpty();
    }

    @Test
    void namesAnApkInABundleAndThePathOfItsProblems() throws IOException {
        byte[] bad = Apk3Writer.named("kmod-bad", "1")
                .directory("lib")
                .file("b.ko", ascii("bad"), new byte[32])
                .file("c.ko", "good")
                .bytes();
        Visited visited = Visited.all(file(new TarWriter().file("a.apk", bad).bytes()));
        assertThat(visited.text("/a.apk!/lib/c.ko")).isEqualTo("good");
        assertThat(visited.entries.get("/a.apk!/lib/c.ko"))
                .extracting(entry -> entry.owner().name())
                .isEqualTo("kmod-bad");
        assertThat(visited.problems).containsExactly("/a.apk!/lib/b.ko: " + MISMATCH);
    }
}
