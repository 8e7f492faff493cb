package dev.weaklink.kernel;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A kernel's build configuration, as in {@code /boot/config-*}; searched, not parsed. */
public final class KernelConfig {
  private final byte[] text;

  /** Takes the first {@code length} bytes of {@code text}. */
  public KernelConfig(byte[] text, int length) {
    this.text = Arrays.copyOf(text, length);
  }

  /**
   * Value of an option given without {@code CONFIG_}: {@code y}, {@code m}, {@code n} (for "is not
   * set"), or the text between the quotes; null if the option is not mentioned.
   */
  public @Nullable String value(String option) {
    String set = line("CONFIG_" + option + "=");
    if (set != null) {
      return set.length() > 1 && set.charAt(0) == '"' ? set.substring(1, set.length() - 1) : set;
    }
    return line("# CONFIG_" + option + " is not set") != null ? "n" : null;
  }

  /** What follows {@code start} on the first line that begins with it, or null. */
  private @Nullable String line(String start) {
    byte[] wanted = start.getBytes(StandardCharsets.ISO_8859_1);
    boolean atLineStart = true;
    for (int at = 0; at <= text.length - wanted.length; at++) {
      if (atLineStart
          && text[at] == wanted[0]
          && Arrays.equals(text, at, at + wanted.length, wanted, 0, wanted.length)) {
        int end = at + wanted.length;
        while (end < text.length && text[end] != '\n' && text[end] != '\r') {
          end++;
        }
        return new String(
            text, at + wanted.length, end - at - wanted.length, StandardCharsets.ISO_8859_1);
      }
      atLineStart = text[at] == '\n';
    }
    return null;
  }
}
