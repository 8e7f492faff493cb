package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weaklink.format.archive.RpmPackage.RpmTag;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.Packing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

class PackageProperties {
    private Path file = Path.of("");

    @BeforeProperty
    void createFile() throws IOException {
        file = Files.createTempFile("weaklink", ".package");
    }

    @AfterProperty
    void deleteFile() throws IOException {
        Files.delete(file);
    }

    /** Generates contents of files by normalised path. */
    @Provide
    Arbitrary<Map<String, byte[]>> trees() {
        Arbitrary<String> part = Arbitraries.strings().alpha().withChars("-_é.").ofLength(7);
        Arbitrary<String> path = Combinators.combine(part, part).as((directory, name) -> "/" + directory + "/" + name);
        Arbitrary<byte[]> contents = Arbitraries.bytes().array(byte[].class).ofMaxSize(2000);
        return Arbitraries.maps(path, contents).ofMaxSize(8).map(TreeMap::new);
    }

    private void assertReadsBack(byte[] archive, Map<String, byte[]> tree) throws IOException {
        Visited visited = Visited.all(Files.write(file, archive));
        assertThat(visited.contents.keySet()).isEqualTo(tree.keySet());
        tree.forEach((path, bytes) -> assertThat(visited.contents.get(path)).isEqualTo(bytes));
        assertThat(visited.problems).isEmpty();
    }

    @Property(tries = 100)
    void debsReadBack(@ForAll("trees") Map<String, byte[]> tree, @ForAll Packing control, @ForAll Packing data)
            throws IOException {
        TarWriter tar = new TarWriter();
        tree.forEach((path, bytes) -> tar.file("." + path, bytes));
        byte[] deb = new ArWriter()
                .member("debian-binary", "2.0\n")
                .member("control.tar", control.pack(Samples.control()))
                .member("data.tar", data.pack(tar.bytes()))
                .bytes();
        assertReadsBack(deb, tree);
    }

    @Property(tries = 100)
    void rpmsReadBack(@ForAll("trees") Map<String, byte[]> tree, @ForAll Packing packing) throws IOException {
        CpioWriter cpio = new CpioWriter();
        tree.forEach((path, bytes) -> cpio.file("." + path, bytes));
        byte[] rpm = RpmWriter.named("r")
                .strings(RpmTag.OLD_FILE_NAMES, List.of("/wanted"))
                .bytes(packing.pack(cpio.bytes()));
        assertReadsBack(rpm, tree);
    }

    @Property(tries = 100)
    void strippedRpmsReadBack(@ForAll("trees") Map<String, byte[]> tree) throws IOException {
        CpioWriter cpio = new CpioWriter();
        List<String> names = List.copyOf(tree.keySet());
        long[] sizes = new long[names.size()];
        for (int i = names.size() - 1; i >= 0; i--) {
            byte[] contents = tree.getOrDefault(names.get(i), new byte[0]);
            sizes[i] = contents.length;
            cpio.stripped(i, contents);
        }
        if (!names.isEmpty()) {
            assertReadsBack(RpmWriter.named("r").files("", names, sizes).bytes(cpio.bytes()), tree);
        }
    }

    @Property(tries = 100)
    void apksReadBack(@ForAll("trees") Map<String, byte[]> tree, @ForAll @IntRange(max = 4) int packing)
            throws IOException {
        Apk3Writer apk = Apk3Writer.named("a", "1");
        tree.forEach((path, bytes) -> {
            int slash = path.lastIndexOf('/');
            apk.directory(path.substring(1, slash)).file(path.substring(slash + 1), bytes);
        });
        assertReadsBack(Apk3Writer.packings(apk.bytes()).get(packing), tree);
    }

    /** Flips single bytes. The reader may then return other contents, but must not fail in another way. */
    @Property(tries = 1000)
    void damagedPackagesAreReadOrRefusedInOneLine(
            @ForAll @IntRange(max = 7) int sample,
            @ForAll @Size(min = 1, max = 6) List<@IntRange(max = 1 << 20) Integer> places,
            @ForAll byte value)
            throws IOException {
        byte[] bytes = sample(sample);
        for (int place : places) {
            bytes[place % bytes.length] = value;
        }
        Files.write(file, bytes);
        assertThatCode(() -> Visited.all(file))
                .satisfiesAnyOf(
                        none -> assertThat(none).isNull(),
                        thrown -> assertThat(thrown)
                                .isInstanceOf(UnreadableException.class)
                                .message()
                                .startsWith(file + ": ")
                                .hasLineCount(1));
    }

    private static byte[] sample(int number) {
        return switch (number) {
            case 0 -> Samples.deb(Packing.NONE, Packing.NONE);
            case 1 -> Samples.deb(Packing.BZIP2, Packing.LZMA);
            case 2 -> Samples.ipk();
            case 3 -> Samples.apk();
            case 4 -> Samples.apk3();
            case 5 -> Apk3Writer.deflated(Samples.apk3());
            case 6 ->
                new TarWriter()
                        .file("a.deb", Samples.deb(Packing.XZ, Packing.ZSTD))
                        .bytes();
            default ->
                RpmWriter.named("r")
                        .files("/d/", List.of("f"), 3)
                        .bytes(new CpioWriter()
                                .stripped(0, "abc".getBytes(StandardCharsets.US_ASCII))
                                .bytes());
        };
    }
}
