package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.archive.CpioReader.CpioEntry;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.ExternalTool;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpioReaderTest {
    private static final byte[] TEXT = "seven b".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path temp;

    private static List<String> names(CpioReader reader) throws IOException {
        List<String> names = new ArrayList<>();
        for (CpioEntry entry = reader.next(); entry != null; entry = reader.next()) {
            names.add(entry.name());
        }
        return names;
    }

    private static CpioReader over(byte[] archive) {
        return new CpioReader(new ByteArrayInputStream(archive));
    }

    @Test
    void entriesComeInOrderWithTypesAndContents() throws IOException {
        CpioReader reader = over(new CpioWriter()
                .directory("a")
                .file("a/f", TEXT)
                .symlink("a/l", "../x")
                .bytes());
        CpioEntry directory = reader.next();
        assertThat(directory).isNotNull();
        assertThat(directory.isDirectory()).isTrue();
        CpioEntry file = reader.next();
        assertThat(file).isNotNull();
        assertThat(file.isRegular()).isTrue();
        assertThat(file.size()).isEqualTo(TEXT.length);
        assertThat(reader.contents().readAllBytes()).isEqualTo(TEXT);
        CpioEntry link = reader.next();
        assertThat(link).isNotNull();
        assertThat(link.isSymlink()).isTrue();
        assertThat(reader.contents().readAllBytes()).asString().isEqualTo("../x");
        assertThat(reader.next()).isNull();
        assertThat(reader.trailerSeen()).isTrue();
        assertThat(reader.next()).isNull();
    }

    @Test
    void readsAnArchiveBehindAnother() throws IOException {
        byte[] first = new CpioWriter().file("microcode", TEXT).bytes();
        byte[] second = new CpioWriter().file("init", TEXT).bytes();
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        ByteArrayInputStream in = new ByteArrayInputStream(both);

        CpioReader reader = new CpioReader(in);
        assertThat(names(reader)).containsExactly("microcode");
        assertThat(in.available()).isEqualTo(second.length);
        assertThat(names(new CpioReader(in))).containsExactly("init");
    }

    @Test
    void recognisesAnArchiveWithoutTrailer() throws IOException {
        CpioReader reader = over(new CpioWriter().file("f", TEXT).withoutTrailer());
        assertThat(names(reader)).containsExactly("f");
        assertThat(reader.trailerSeen()).isFalse();
    }

    @Test
    void everyTruncationWithinAnEntryIsAnError() throws IOException {
        byte[] whole = new CpioWriter().file("some/file", TEXT).withoutTrailer();
        // The last byte is padding, which may be missing.
        for (int length = 1; length < whole.length - 1; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> names(over(cut)))
                    .as("%d bytes", length)
                    .isInstanceOf(EOFException.class)
                    .hasMessageStartingWith("truncated");
        }
    }

    @Test
    void refusesInvalidHeaders() {
        byte[] archive = new CpioWriter().file("f", TEXT).bytes();
        archive[20] = 'x';
        assertThatThrownBy(() -> names(over(archive)))
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining("not hexadecimal");
        assertThatThrownBy(() -> names(over("070707 of old".getBytes(StandardCharsets.US_ASCII))))
                .hasMessageContaining("the old portable format");
        assertThatThrownBy(() -> names(over("070703 of none".getBytes(StandardCharsets.US_ASCII))))
                .hasMessageContaining("no magic");
    }

    @Test
    void refusesANameOfFourGigabytesBeforeReadingIt() {
        byte[] archive = new CpioWriter().file("f", TEXT).bytes();
        Arrays.fill(archive, 94, 102, (byte) 'F');
        assertThatThrownBy(() -> names(over(archive))).hasMessageContaining("a name of 4294967295");
    }

    @Test
    void looksUpStrippedEntries() throws IOException {
        byte[] archive = new CpioWriter().stripped(3, TEXT).bytes();
        CpioReader reader = new CpioReader(
                new ByteArrayInputStream(archive),
                index -> new CpioEntry("n" + index, CpioWriter.FILE, 1, 0, 1, TEXT.length));
        CpioEntry entry = reader.next();
        assertThat(entry).isNotNull();
        assertThat(entry.name()).isEqualTo("n3");
        assertThat(reader.contents().readAllBytes()).isEqualTo(TEXT);
        assertThat(reader.next()).isNull();
        assertThatThrownBy(() -> names(over(archive))).hasMessageContaining("unexpected stripped entry");
    }

    @Test
    void readsWhatCpioWrites() throws IOException {
        ExternalTool.orSkip("cpio");
        Files.createDirectories(temp.resolve("in/d"));
        Files.write(temp.resolve("in/d/f"), TEXT);
        Files.createSymbolicLink(temp.resolve("in/l"), Path.of("d/f"));
        ExternalTool.orSkip("sh")
                .run("-c", "cd '" + temp + "/in' && find . | LC_ALL=C sort | cpio -o -H newc --quiet > ../archive");
        CpioReader reader = over(Files.readAllBytes(temp.resolve("archive")));
        assertThat(names(reader)).containsExactly(".", "d", "d/f", "l");
        assertThat(reader.trailerSeen()).isTrue();
    }
}
