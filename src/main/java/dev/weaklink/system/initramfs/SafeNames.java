package dev.weaklink.system.initramfs;

/** Which names from a root may become part of a path or of a tool's arguments. */
final class SafeNames {
  private static final int MAX_LENGTH = 128;
  private static final String PUNCTUATION = "._+~:@-";

  private SafeNames() {}

  /** One path component of plain characters that no program takes for an option. */
  static boolean isSafe(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH || !isAlphanumeric(name.charAt(0))) {
      return false;
    }
    for (int i = 1; i < name.length(); i++) {
      char character = name.charAt(i);
      if (!isAlphanumeric(character) && PUNCTUATION.indexOf(character) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAlphanumeric(char character) {
    return character < 0x80 && Character.isLetterOrDigit(character);
  }
}
