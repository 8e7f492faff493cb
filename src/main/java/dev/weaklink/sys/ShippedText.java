package dev.weaklink.sys;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Texts that come with the program. */
public final class ShippedText {
  private ShippedText() {}

  /** One of them, by its path in the program. */
  public static String of(String path) {
    try (InputStream in = ShippedText.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("the program is incomplete: no " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the program cannot be read: " + path, e);
    }
  }
}
