package dev.weaklink.links;

/** What is at a path, as far as transactions deal with it. */
public sealed interface PathState {
  /** Nothing is there. */
  PathState ABSENT = new Absent();

  /** Nothing. */
  record Absent() implements PathState {}

  /** A symbolic link with this text. */
  record Link(String target) implements PathState {}

  /** A file of text. */
  record Text(String content) implements PathState {}

  /**
   * A directory.
   *
   * @param mode its permission bits
   */
  record Directory(int mode) implements PathState {
    public Directory {
      if ((mode & ~07777) != 0) {
        throw new IllegalArgumentException("not permission bits: " + mode);
      }
    }
  }
}
