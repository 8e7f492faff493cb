package dev.weaklink.links;

/**
 * What a transaction does to one path: to a link, or to a directory, which it makes or removes.
 *
 * @param path as seen from inside the root
 */
public record PathChange(String path, PathState before, PathState after) {
  public PathChange {
    boolean link = before instanceof PathState.Link || after instanceof PathState.Link;
    boolean directory =
        before instanceof PathState.Directory || after instanceof PathState.Directory;
    if (link == directory || before.equals(after)) {
      throw new IllegalArgumentException("no change of a link or a directory: " + path);
    }
  }

  /** Whether this is about a link, not a directory. */
  public boolean isLink() {
    return before instanceof PathState.Link || after instanceof PathState.Link;
  }

  /** Whether something is there before and nothing afterwards. */
  boolean removes() {
    return after instanceof PathState.Absent;
  }
}
