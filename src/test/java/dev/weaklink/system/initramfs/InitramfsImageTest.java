package dev.weaklink.system.initramfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.system.initramfs.InitramfsImage.InitramfsModule;
import dev.weaklink.testing.Packing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InitramfsImageTest {
    private static final String DIRECTORY = "usr/lib/modules/6.1.0/";

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Packing.class)
    void readsAnArchivePackedInEveryWay(Packing packing) throws IOException {
        assertThat(read(packing.pack(archive("a"))).modules()).containsExactly(new InitramfsModule(DIRECTORY + "a.ko"));
    }

    @ParameterizedTest
    @EnumSource(Packing.class)
    void findsArchivesAfterACompressedArchive(Packing packing) throws IOException {
        for (Packing next : Packing.values()) {
            byte[] image = joined(packing.pack(archive("a")), new byte[4], next.pack(archive("b")));
            assertThat(names(read(image))).as("%s then %s", packing, next).containsExactly("a", "b");
        }
    }

    @ParameterizedTest
    @EnumSource(value = Packing.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void needsNoPaddingBetweenPackedArchives(Packing packing) throws IOException {
        byte[] packed = packing.pack(archive("a"));
        assertThat(names(read(joined(packed, packing.pack(archive("b")))))).containsExactly("a", "b");
    }

    @ParameterizedTest
    @EnumSource(Packing.class)
    void passesEarlyMicrocodeAndPaddingByTheBlock(Packing packing) throws IOException {
        byte[] early = new CpioWriter()
                .entry(CpioWriter.DIRECTORY, "kernel", new byte[0])
                .file("early_cpio", 2)
                .file("kernel/x86/microcode/GenuineIntel.bin", 100_000)
                .end();
        byte[] image = joined(early, new byte[512], early, new byte[20_000], packing.pack(archive("a")));
        assertThat(names(read(joined(image, new byte[1024])))).containsExactly("a");
    }

    @Test
    void readsSeveralArchivesInOneCompressedStream() throws IOException {
        byte[] both = joined(archive("a"), new byte[256], archive("b"), new byte[512]);
        assertThat(names(read(Packing.GZIP.pack(both)))).containsExactly("a", "b");
    }

    @Test
    void readsTheFormatWithChecksums() throws IOException {
        byte[] image =
                new CpioWriter("070702").file("lib/modules/6.1.0/x.ko", 5).end();
        assertThat(names(read(image))).containsExactly("x");
    }

    @Test
    void keepsModuleFilesAndLinksNamedLikeThemAndNothingElse() throws IOException {
        byte[] image = new CpioWriter()
                .entry(CpioWriter.DIRECTORY, "lib/modules/6.1.0/dir.ko", new byte[0])
                .file("lib/modules/6.1.0/modules.dep", 10)
                .file("lib/modules/6.1.0/a-b.ko.xz", 1)
                .file("lib/modules/6.1.0/c.ko.gz", 2)
                .file("lib/modules/6.1.0/d.ko.zst", 3)
                .file("lib/modules/6.1.0/e.ko.debug", 4)
                .entry(CpioWriter.LINK, "lib/modules/6.1.0/weak-updates/f.ko", new byte[] {'x'})
                .file("lib/modules/6.1.0/trailing.ko", 0)
                .end();
        assertThat(read(image).modules())
                .containsExactly(
                        new InitramfsModule("lib/modules/6.1.0/a-b.ko.xz"),
                        new InitramfsModule("lib/modules/6.1.0/c.ko.gz"),
                        new InitramfsModule("lib/modules/6.1.0/d.ko.zst"),
                        new InitramfsModule("lib/modules/6.1.0/weak-updates/f.ko"),
                        new InitramfsModule("lib/modules/6.1.0/trailing.ko"));
        assertThat(names(read(image))).startsWith("a_b");
    }

    private static byte[] archive(String module) {
        return new CpioWriter()
                .entry(CpioWriter.DIRECTORY, DIRECTORY, new byte[0])
                .file(DIRECTORY + module + ".ko", 70_001)
                .file("init", 3)
                .end();
    }

    private InitramfsImage read(byte[] bytes) throws IOException {
        return InitramfsImage.read(Files.write(directory.resolve("image"), bytes));
    }

    static List<String> names(InitramfsImage image) {
        return image.modules().stream().map(InitramfsModule::name).toList();
    }

    static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
