package dev.weaklink.links;

import org.jspecify.annotations.Nullable;

/**
 * What a transaction does to one path: to a link, a file of text, or a directory, which it makes or
 * removes.
 *
 * @param path as seen from inside the root
 */
public record PathChange(String path, PathState before, PathState after) {
  public PathChange {
    int kinds = kind(before) | kind(after);
    if (Integer.bitCount(kinds) != 1 || before.equals(after)) {
      throw new IllegalArgumentException("no change of a link, a text or a directory: " + path);
    }
  }

  private static int kind(PathState state) {
    if (state instanceof PathState.Absent) {
      return 0;
    }
    return state instanceof PathState.Link ? 1 : state instanceof PathState.Text ? 2 : 4;
  }

  /**
   * This and a later change of the same path as one; the later one if somebody changed the path in
   * between, null if it is as it was before.
   */
  @Nullable PathChange then(PathChange later) {
    if (!after.equals(later.before) || Integer.bitCount(kind(before) | kind(later.after)) > 1) {
      return later;
    }
    return before.equals(later.after) ? null : new PathChange(path, before, later.after);
  }

  /** Whether this is about a link. */
  public boolean isLink() {
    return before instanceof PathState.Link || after instanceof PathState.Link;
  }

  /** Whether this is about a directory. */
  public boolean isDirectory() {
    return before instanceof PathState.Directory || after instanceof PathState.Directory;
  }

  /** Whether something is there before and nothing afterwards. */
  boolean removes() {
    return after instanceof PathState.Absent;
  }
}
