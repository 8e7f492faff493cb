package dev.weaklink.links.transaction;

/** What is at a path, as far as transactions deal with it. */
public sealed interface PathState {
  /** Nothing is there. */
  PathState ABSENT = new Absent();

  /** Nothing. */
  record Absent() implements PathState {}

  /** A symbolic link with this text. */
  record Link(String target) implements PathState {}

  /**
   * A regular file.
   *
   * @param sha256 of its content, in hex
   * @param mode its permission bits
   * @param lines how many it has if it is a text; 0 if it is a module
   */
  record File(String sha256, int mode, int lines) implements PathState {
    private static final int HEX_DIGITS = 64;

    public File {
      checkMode(mode);
      for (int i = 0; i < sha256.length(); i++) {
        if ("0123456789abcdef".indexOf(sha256.charAt(i)) < 0) {
          throw new IllegalArgumentException("not a digest");
        }
      }
      if (sha256.length() != HEX_DIGITS) {
        throw new IllegalArgumentException("not a digest");
      }
    }
  }

  /**
   * A directory.
   *
   * @param mode its permission bits
   */
  record Directory(int mode) implements PathState {
    public Directory {
      checkMode(mode);
    }
  }

  private static void checkMode(int mode) {
    if ((mode & ~07777) != 0) {
      throw new IllegalArgumentException("not permission bits: " + mode);
    }
  }
}
