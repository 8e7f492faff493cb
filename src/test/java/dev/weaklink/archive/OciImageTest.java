package dev.weaklink.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.testing.Packing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OciImageTest {
  @TempDir Path image;
  private int blobs;

  @BeforeEach
  void layOut() throws IOException {
    Files.createDirectories(image.resolve("blobs/sha256"));
    Files.writeString(image.resolve("oci-layout"), "{\"imageLayoutVersion\": \"1.0.0\"}");
  }

  /** Writes a blob and gives its digest; readers go by the name alone. */
  private String blob(byte[] bytes) throws IOException {
    String name = "b" + blobs++;
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
    Visited visited =
        layers(
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
  void aFileRemovedAndMadeAgainIsShownOnce() throws IOException {
    Visited visited =
        layers(
            new TarWriter().file("m.ko", "first"),
            new TarWriter().file(".wh.m.ko", ""),
            new TarWriter().file("m.ko", "second"));
    assertThat(visited.text("/m.ko")).isEqualTo("second");
  }

  @Test
  void ofSeveralImagesTheFirstIsReadAndTheOthersAreNamed() throws IOException {
    String layer = blob(new TarWriter().file("m.ko", "x").bytes());
    index(manifest("manifests", manifest("layers", layer)), "sha256:another");
    Visited visited = Visited.all(image);
    assertThat(visited.contents).containsOnlyKeys("/m.ko");
    assertThat(visited.problems)
        .containsExactly("/index.json: another image in it, sha256:another; not read");
  }

  @Test
  void blobsOutsideTheLayoutAreNotRead() throws IOException {
    for (String digest : List.of("sha256:../../etc/passwd", "..:passwd", "sha256:", "passwd")) {
      index(digest);
      assertThatThrownBy(() -> Visited.all(image))
          .hasMessage(image + ": corrupt image: a blob's name is not a digest");
    }
    index("sha256:link");
    Files.createSymbolicLink(image.resolve("blobs/sha256/link"), Path.of("/etc/hostname"));
    assertThatThrownBy(() -> Visited.all(image))
        .hasMessage(image + ": incomplete image: /blobs/sha256/link is missing");
  }

  @Test
  void layoutsThatAreNoneAreRefused() throws IOException {
    Files.writeString(image.resolve("index.json"), "{\"manifests\": [");
    assertThatThrownBy(() -> Visited.all(image))
        .hasMessageEndingWith("a manifest is truncated or not valid JSON");
    Files.writeString(image.resolve("index.json"), "[".repeat(100_000));
    assertThatThrownBy(() -> Visited.all(image)).hasMessageEndingWith("not a JSON object");
    Files.writeString(image.resolve("index.json"), "{}");
    assertThatThrownBy(() -> Visited.all(image))
        .hasMessage(image + ": an image layout without an image");
    Files.delete(image.resolve("index.json"));
    assertThatThrownBy(() -> Visited.all(image))
        .hasMessage(image + ": incomplete image: /index.json is missing");
  }
}
