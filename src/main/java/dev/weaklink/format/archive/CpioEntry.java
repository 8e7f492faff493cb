package dev.weaklink.format.archive;

/**
 * An entry of a cpio archive.
 *
 * @param name as written, not normalised; empty where rpm's stripped form leaves it out
 * @param mode file type and permissions, as in stat(2)
 * @param inode identifies hard links, with {@code device}
 * @param device major number in the upper, minor in the lower 32 bits
 * @param links number of hard links; of those all but the last have size 0
 * @param size bytes of contents; a symbolic link's are its target
 */
public record CpioEntry(String name, int mode, long inode, long device, long links, long size) {
  private static final int TYPE = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int REGULAR = 0100000;
  private static final int SYMLINK = 0120000;

  public boolean isDirectory() {
    return (mode & TYPE) == DIRECTORY;
  }

  public boolean isRegular() {
    return (mode & TYPE) == REGULAR;
  }

  public boolean isSymlink() {
    return (mode & TYPE) == SYMLINK;
  }
}
