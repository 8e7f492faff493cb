package dev.weaklink.rules;

/**
 * A name with wildcards: {@code ?} stands for one character and {@code *} for any number of them,
 * but not for a slash; {@code **} stands for anything. It always means the whole name.
 *
 * @param text as it is matched; of a module, with {@code _} for every {@code -}
 */
public record NamePattern(String text) {
  /** Of module names, in which the kernel takes {@code -} and {@code _} for the same. */
  public static NamePattern ofModule(String text) {
    return new NamePattern(moduleName(text));
  }

  /** A module's name as the kernel has it. */
  public static String moduleName(String name) {
    return name.replace('-', '_');
  }

  /** Whether it is this name. Takes time in the order of both lengths multiplied, at most. */
  public boolean matches(String name) {
    int first = firstWildcard();
    if (first == text.length()) {
      return text.equals(name);
    }
    return name.startsWith(text.substring(0, first)) && matchesRest(name, first);
  }

  /** Whether it is this directory or one above it. */
  public boolean matchesDirectory(String directory) {
    for (int end = directory.length(); end > 0; end = directory.lastIndexOf('/', end - 1)) {
      if (matches(directory.substring(0, end))) {
        return true;
      }
    }
    return false;
  }

  private int firstWildcard() {
    int at = 0;
    while (at < text.length() && !isWildcard(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isWildcard(char c) {
    return c == '*' || c == '?';
  }

  /** Follows all ways to match at once: {@code ends[i]} says whether one ends before name[i]. */
  private boolean matchesRest(String name, int first) {
    boolean[] ends = new boolean[name.length() + 1];
    ends[first] = true;
    int at = first;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean anything = text.startsWith("**", at);
      ends = c == '*' ? afterStar(ends, name, anything) : afterOne(ends, name, c);
      at += anything ? 2 : 1;
    }
    return ends[name.length()];
  }

  private static boolean[] afterStar(boolean[] ends, String name, boolean anything) {
    for (int i = 0; i < name.length(); i++) {
      ends[i + 1] |= ends[i] && (anything || name.charAt(i) != '/');
    }
    return ends;
  }

  private static boolean[] afterOne(boolean[] ends, String name, char wanted) {
    boolean[] next = new boolean[ends.length];
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      next[i + 1] = ends[i] && (wanted == '?' ? c != '/' : c == wanted);
    }
    return next;
  }

  @Override
  public String toString() {
    return text;
  }
}
