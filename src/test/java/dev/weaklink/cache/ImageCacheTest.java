package dev.weaklink.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.FileIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageCacheTest {
  private static final Path IMAGE = Path.of("/boot/vmlinuz-6.1.0-1-test");
  private static final FileIdentity IDENTITY = new FileIdentity(8, 77, 1000, 1_001, 2_002);
  private static final long LATER = 10_000_000_000L;
  private static final ImageCache.Kept TYPES =
      new ImageCache.Kept("6.1.0-1-test", ByteBuffer.wrap(new byte[] {4, 5, 6}));

  @TempDir Path directory;
  private int user;

  @BeforeEach
  void findOutWhoWeAre() throws IOException {
    user = (int) Files.getAttribute(directory, "unix:uid");
  }

  private ImageCache cache(long program) {
    return FactsCache.in(directory.resolve("facts"), user, program, () -> LATER).images();
  }

  @Test
  void whatAnImageHasIsFoundAgain() {
    cache(1).keep(IMAGE, IDENTITY, LATER, TYPES);
    assertThat(cache(1).find(IMAGE, IDENTITY)).isEqualTo(TYPES);
    ImageCache.Kept without = new ImageCache.Kept("6.1.0-1-test", null);
    cache(1).keep(IMAGE, IDENTITY, LATER, without);
    assertThat(cache(1).find(IMAGE, IDENTITY)).isEqualTo(without);
  }

  @Test
  void anotherFileAnotherProgramOrAnotherPlaceHasNothing() {
    cache(1).keep(IMAGE, IDENTITY, LATER, TYPES);
    FileIdentity changed = new FileIdentity(8, 77, 1000, 1_001, 2_003);
    assertThat(cache(1).find(IMAGE, changed)).isNull();
    assertThat(cache(2).find(IMAGE, IDENTITY)).isNull();
    assertThat(cache(1).find(Path.of("/boot/vmlinuz"), IDENTITY)).isNull();
    assertThat(FactsCache.NONE.images().find(IMAGE, IDENTITY)).isNull();
  }

  /** It could be changed again without another identity. */
  @Test
  void whatHadOnlyJustBeenChangedIsNotKept() {
    cache(1).keep(IMAGE, IDENTITY, 2_003, TYPES);
    assertThat(cache(1).find(IMAGE, IDENTITY)).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 9, 20, 63, 64, 67, 70, 80, 86, -1, -2})
  void damagedOrCutItIsNotBelieved(int place) throws IOException {
    cache(1).keep(IMAGE, IDENTITY, LATER, TYPES);
    Path file;
    try (var files = Files.list(directory.resolve("facts"))) {
      file = files.findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(file);
    assertThat(bytes).hasSizeGreaterThan(86);
    if (place >= 0) {
      bytes[place] ^= 1;
      Files.write(file, bytes);
    } else {
      Files.write(file, Arrays.copyOf(bytes, place == -1 ? 70 : bytes.length - 1));
    }
    assertThat(cache(1).find(IMAGE, IDENTITY)).isNull();
  }
}
