package dev.weaklink.fleet.intake;

import java.util.HashMap;
import java.util.Map;

/** Most equal texts are one: modules of many sets have the same names, paths and versions. */
final class KnownTexts {
  private static final int MOST = 1 << 16;
  private static final int LONGEST = 256;

  private final Map<String, String> texts = new HashMap<>();

  /** An equal text. */
  String same(String text) {
    if (text.length() > LONGEST) {
      return text;
    }
    if (texts.size() == MOST) {
      texts.clear();
    }
    String same = texts.putIfAbsent(text, text);
    return same == null ? text : same;
  }
}
