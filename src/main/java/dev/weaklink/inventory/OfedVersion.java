package dev.weaklink.inventory;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Product and version that the script ofed_info was written with. */
final class OfedVersion {
  /** It is a list of packages, some kilobytes long. */
  private static final long LONGEST_SCRIPT = 16L << 20;

  private OfedVersion() {}

  /** Such as {@code MLNX_OFED_LINUX-5.8-1.1.2.1}; null if there is no such script. */
  static @Nullable String of(ImageFiles files) {
    Path script = files.file(Path.of("/usr/bin/ofed_info"));
    List<String> lines = ImageFiles.lines(script, LONGEST_SCRIPT);
    for (String line : lines) {
      String version = in(line);
      if (version != null) {
        return version;
      }
    }
    return null;
  }

  /** What the last command echo of a line prints, up to a colon. */
  private static @Nullable String in(String line) {
    for (int at = line.lastIndexOf("echo"); at >= 0; at = line.lastIndexOf("echo", at - 1)) {
      int start = at + "echo".length();
      while (start < line.length() && (line.charAt(start) == ' ' || line.charAt(start) == '"')) {
        start++;
      }
      int end = line.indexOf(':', start);
      if (end > start && isProduct(line.substring(start, end))) {
        return line.substring(start, end);
      }
    }
    return null;
  }

  /** Letters, then a hyphen and what begins with a digit. */
  private static boolean isProduct(String text) {
    int digit = 0;
    while (digit < text.length() && (isLetter(text.charAt(digit)) || isJoint(text.charAt(digit)))) {
      digit++;
    }
    if (digit == 0 || digit == text.length() || !isLetter(text.charAt(0))) {
      return false;
    }
    if (text.charAt(digit - 1) != '-') {
      return false;
    }
    for (int i = digit; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!isLetter(c) && !isJoint(c) && !isDigit(c) && c != '.') {
        return false;
      }
    }
    return isDigit(text.charAt(digit));
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isJoint(char c) {
    return c == '_' || c == '-';
  }
}
