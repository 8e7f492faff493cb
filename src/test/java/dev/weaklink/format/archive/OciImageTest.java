package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.Packing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OciImageTest {
    private static final String ZEROS = "sha256:" + "0".repeat(64);

    @TempDir
    Path image;

    @BeforeEach
    void layOut() throws IOException {
        Files.createDirectories(image.resolve("blobs/sha256"));
        Files.writeString(image.resolve("oci-layout"), "{\"imageLayoutVersion\": \"1.0.0\"}");
    }

    /** Writes a blob, and returns its digest. */
    private String blob(byte[] bytes) throws IOException {
        String name =
                HexFormat.of().formatHex(ContentDigest.of(new byte[32]).start().digest(bytes));
        Files.write(image.resolve("blobs/sha256").resolve(name), bytes);
        return "sha256:" + name;
    }

    private String manifest(String list, String... digests) throws IOException {
        List<String> descriptors = new ArrayList<>();
        for (String digest : digests) {
            descriptors.add("{\"mediaType\": \"x\", \"size\": 1, \"digest\": \"" + digest + "\"}");
        }
        String json = "{\"config\": {\"a\": [{}]}, \"" + list + "\": " + descriptors + "}";
        return blob(json.getBytes(StandardCharsets.UTF_8));
    }

    private void index(String... manifests) throws IOException {
        String digest = manifest("manifests", manifests);
        Path blob = image.resolve("blobs/sha256").resolve(digest.substring("sha256:".length()));
        Files.move(blob, image.resolve("index.json"), StandardCopyOption.REPLACE_EXISTING);
    }

    private Visited layers(TarWriter... layers) throws IOException {
        String[] digests = new String[layers.length];
        for (int i = 0; i < layers.length; i++) {
            Packing packing = i % 2 == 0 ? Packing.GZIP : Packing.ZSTD;
            digests[i] = blob(packing.pack(layers[i].bytes()));
        }
        index(manifest("layers", digests));
        return Visited.all(image);
    }

    @Test
    void upperLayersReplaceAndWhiteoutsRemove() throws IOException {
        Visited visited = layers(
                new TarWriter()
                        .file("lib/kept.ko", "kept")
                        .file("lib/replaced.ko", "old")
                        .file("lib/removed.ko", "gone")
                        .file("dir/a.ko", "gone with its directory")
                        .file("opaque/a.ko", "hidden")
                        .file("now-a-file/a.ko", "hidden")
                        .file("now-a-directory", "hidden"),
                new TarWriter()
                        .file("lib/replaced.ko", "new")
                        .file("lib/.wh.removed.ko", "")
                        .file(".wh.dir", "")
                        .file("opaque/.wh..wh..opq", "")
                        .file("opaque/b.ko", "shown")
                        .file("now-a-file", "file")
                        .directory("now-a-directory/"));
        assertThat(visited.contents)
                .containsOnlyKeys("/lib/kept.ko", "/lib/replaced.ko", "/opaque/b.ko", "/now-a-file");
        assertThat(visited.text("/lib/replaced.ko")).isEqualTo("new");
        assertThat(visited.problems).isEmpty();
    }

    @Test
    void visitsAFileOnceThatWasRemovedAndAddedAgain() throws IOException {
        Visited visited = layers(
                new TarWriter().file("m.ko", "first"),
                new TarWriter().file(".wh.m.ko", ""),
                new TarWriter().file("m.ko", "second"));
        assertThat(visited.text("/m.ko")).isEqualTo("second");
    }

    @Test
    void readsTheFirstImageAndNamesTheOthers() throws IOException {
        String layer = blob(new TarWriter().file("m.ko", "x").bytes());
        index(manifest("manifests", manifest("layers", layer)), ZEROS);
        Visited visited = Visited.all(image);
        assertThat(visited.contents).containsOnlyKeys("/m.ko");
        assertThat(visited.problems).containsExactly("/index.json: contains another image, " + ZEROS + "; not read");
    }

    @Test
    void blobsOutsideTheLayoutAreNotRead() throws IOException {
        for (String digest : List.of("sha256:../../etc/passwd", "..:passwd", "sha256:", "passwd", "sha256:00")) {
            index(digest);
            assertThatThrownBy(() -> Visited.all(image))
                    .hasMessage(image + ": corrupt image: a blob's digest is not a valid sha256 or sha512");
        }
        index(ZEROS);
        Path link = image.resolve("blobs/sha256/" + "0".repeat(64));
        Files.createSymbolicLink(link, Path.of("/etc/hostname"));
        assertThatThrownBy(() -> Visited.all(image))
                .hasMessageMatching(".*: incomplete image: /blobs/sha256/0{64} is missing");
    }

    @Test
    void blobsWithOtherContentsAreRefused() throws IOException {
        String layer = blob(new TarWriter().file("m.ko", "x").bytes());
        String manifest = manifest("layers", layer);
        index(manifest);
        String wrong = "contents do not match their SHA-256 digest";
        for (String digest : List.of(layer, manifest)) {
            Path blob = image.resolve("blobs/sha256").resolve(digest.substring("sha256:".length()));
            byte[] right = Files.readAllBytes(blob);
            byte[] changed = right.clone();
            changed[changed.length - 1] ^= 1;
            Files.write(blob, changed);
            assertThatThrownBy(() -> Visited.all(image)).hasMessageContaining(wrong);
            Files.write(blob, right);
        }
        assertThat(Visited.all(image).contents).containsOnlyKeys("/m.ko");
    }

    /**
     * Nests indexes deeper than the reader follows. A real loop is impossible, because each index contains the digest
     * of the next.
     */
    @Test
    void stopsAtNestedIndexes() throws IOException {
        String layer = blob(new TarWriter().file("m.ko", "x").bytes());
        String digest = manifest("layers", layer);
        for (int i = 0; i < 5; i++) {
            digest = manifest("manifests", digest);
        }
        index(digest);
        assertThatThrownBy(() -> Visited.all(image)).hasMessage(image + ": an image layout without an image");
    }

    /** Writes the layout as a tar archive with the blobs before the index, as skopeo does. */
    private Path archived() throws IOException {
        TarWriter tar = new TarWriter();
        try (Stream<Path> files = Files.walk(image)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                tar.file(image.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        Path archive = image.resolveSibling(image.getFileName() + ".tar");
        return Files.write(archive, tar.bytes());
    }

    @Test
    void readsAnArchiveOfALayoutLikeTheDirectory() throws IOException {
        layers(
                new TarWriter().file("lib/a.ko", "old").file("lib/b.ko", "gone"),
                new TarWriter().file("lib/a.ko", "new").file("lib/.wh.b.ko", ""));
        Visited visited = Visited.all(archived());
        assertThat(visited.contents).containsOnlyKeys("/lib/a.ko");
        assertThat(visited.text("/lib/a.ko")).isEqualTo("new");
        Files.delete(image.resolve("index.json"));
        Files.writeString(image.resolve("index.json"), "{}");
        Path none = archived();
        assertThatThrownBy(() -> Visited.all(none)).hasMessage(none + ": an image layout without an image");
    }

    @Test
    void readsTheLayersOfDockerSave() throws IOException {
        TarWriter tar = new TarWriter()
                .file(
                        "0a.tar",
                        new TarWriter()
                                .file("lib/a.ko", "old")
                                .file("b.ko", "gone")
                                .bytes())
                .file(
                        "0b/layer.tar",
                        new TarWriter()
                                .file("lib/a.ko", "new")
                                .file(".wh.b.ko", "")
                                .bytes())
                .file(
                        "manifest.json",
                        "[{\"Config\":\"c.json\",\"Layers\":[\"0a.tar\",\"0b/layer.tar\"]},{\"Layers\":[]}]");
        Path archive = Files.write(image.resolve("saved.tar"), tar.bytes());
        Visited visited = Visited.all(archive);
        assertThat(visited.contents).containsOnlyKeys("/lib/a.ko");
        assertThat(visited.text("/lib/a.ko")).isEqualTo("new");
        assertThat(visited.problems).containsExactly("/manifest.json: contains another image, number 2; not read");
    }

    @Test
    void ignoresLayersOutsideTheArchiveAndOtherManifests() throws IOException {
        Path archive = image.resolve("saved.tar");
        String message = "";
        for (String layer : List.of("../../etc/passwd", "missing.tar")) {
            String list = "[{\"Layers\":[\"" + layer + "\"]}]";
            Files.write(archive, new TarWriter().file("manifest.json", list).bytes());
            try {
                Visited.all(archive);
            } catch (UnreadableException e) {
                message += e.getMessage().replace(archive + "", "") + "\n";
            }
        }
        assertThat(message)
                .isEqualTo(": corrupt image: a layer's name is not a valid path\n"
                        + ": incomplete image: /missing.tar is missing\n");
        TarWriter other = new TarWriter().file("manifest.json", "{\"a\":1}").file("m.ko", "x");
        Files.write(archive, other.bytes());
        assertThat(Visited.all(archive).contents).containsOnlyKeys("/manifest.json", "/m.ko");
    }

    @Test
    void refusesInvalidLayouts() throws IOException {
        Files.writeString(image.resolve("index.json"), "{\"manifests\": [");
        assertThatThrownBy(() -> Visited.all(image)).hasMessageEndingWith("a manifest is truncated or not valid JSON");
        Files.writeString(image.resolve("index.json"), "[".repeat(100_000));
        assertThatThrownBy(() -> Visited.all(image)).hasMessageEndingWith("not a JSON object");
        Files.writeString(image.resolve("index.json"), "{}");
        assertThatThrownBy(() -> Visited.all(image)).hasMessage(image + ": an image layout without an image");
        Files.delete(image.resolve("index.json"));
        assertThatThrownBy(() -> Visited.all(image)).hasMessage(image + ": incomplete image: /index.json is missing");
    }
}
