package dev.weaklink.rules.yaml;

import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Gets the text of rule files. What cannot be had is null, and there is a problem about it. */
final class RuleText {
  /** Those that come with the program have a few kilobytes. */
  private static final int MAX_SIZE = 128 << 10;

  private static final String SHIPPED = "/rules/";

  private RuleText() {}

  /** One that comes with the program. */
  static @Nullable String shipped(String name, Problems problems) {
    try (InputStream in = RuleText.class.getResourceAsStream(SHIPPED + name)) {
      if (in != null) {
        return text(in, problems);
      }
      problems.add(Place.WHOLE, "is not part of this installation; install weaklink again");
    } catch (IOException e) {
      problems.add(Place.WHOLE, "cannot be read: " + IoReason.of(e));
    }
    return null;
  }

  static @Nullable String of(Path file, Problems problems) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      if (!attributes.isRegularFile()) {
        problems.add(Place.WHOLE, "is not a regular file");
        return null;
      }
      try (InputStream in = Files.newInputStream(file)) {
        return text(in, problems);
      }
    } catch (IOException e) {
      problems.add(Place.WHOLE, "cannot be read: " + IoReason.of(e));
      return null;
    }
  }

  private static @Nullable String text(InputStream in, Problems problems) throws IOException {
    byte[] bytes = in.readNBytes(MAX_SIZE + 1);
    if (bytes.length > MAX_SIZE) {
      problems.add(Place.WHOLE, "is larger than " + MAX_SIZE + " bytes; use several files");
      return null;
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      problems.add(Place.WHOLE, "is not UTF-8; write it in UTF-8");
      return null;
    }
  }
}
