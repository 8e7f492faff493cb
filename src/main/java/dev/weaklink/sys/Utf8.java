package dev.weaklink.sys;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Bytes kept as one character each, read as the text they may be. */
public final class Utf8 {
  private Utf8() {}

  /** The text these bytes are in UTF-8, null if they are not valid UTF-8. */
  public static @Nullable String decode(String bytes) {
    if (isAscii(bytes)) {
      return bytes;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
          .toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** The same, or one character a byte if they are not. */
  public static String text(String bytes) {
    String decoded = decode(bytes);
    return decoded != null ? decoded : bytes;
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }
}
