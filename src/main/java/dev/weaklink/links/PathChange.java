package dev.weaklink.links;

/**
 * What a transaction does to one path: a link, or a directory that is made or removed.
 *
 * @param path as seen from inside the root
 */
public record PathChange(String path, PathState before, PathState after) {
  /** The same the other way round. */
  public PathChange reversed() {
    return new PathChange(path, after, before);
  }

  /** Whether this is about a link, not a directory. */
  public boolean isLink() {
    return before instanceof PathState.Link || after instanceof PathState.Link;
  }
}
