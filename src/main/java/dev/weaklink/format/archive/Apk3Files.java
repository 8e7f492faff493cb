package dev.weaklink.format.archive;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the files that a package of apk's third format lists, directory by directory
 * (apk-tools src/apk_adb.h). There may be more than memory for, as parts of the list may be used
 * again and again: whoever asks for the next counts.
 */
final class Apk3Files {
  private static final int DIRECTORY_NAME = 1;
  private static final int DIRECTORY_FILES = 3;
  private static final int FILE_NAME = 1;
  private static final int FILE_SIZE = 3;
  private static final int FILE_DIGEST = 5;
  private static final int FILE_TARGET = 6;

  /** In front of a target is, as in stat(2), what it is the target of. */
  private static final int TYPE_LENGTH = 2;

  private static final int FIFO = 0010000;
  private static final int CHARACTER_DEVICE = 0020000;
  private static final int BLOCK_DEVICE = 0060000;
  private static final int REGULAR = 0100000;
  private static final int SYMLINK = 0120000;

  private final AdbObject directories;
  private AdbObject files;
  private String name = "";
  private int directory;
  private int file;

  Apk3Files(AdbObject directories) {
    this.directories = directories;
    this.files = new AdbObject(directories.values(), 0, 0);
  }

  /** The next directory, or file in it; null at the end. */
  @Nullable Apk3Entry next() throws MalformedArchiveException {
    if (file < files.size()) {
      file++;
      return entry(files.object(file));
    }
    if (directory >= directories.size()) {
      return null;
    }
    directory++;
    file = 0;
    AdbObject next = directories.object(directory);
    name = next.text(DIRECTORY_NAME);
    files = next.object(DIRECTORY_FILES);
    return listed(new RawEntry(name, EntryType.DIRECTORY, 0, ""), null);
  }

  private Apk3Entry entry(AdbObject described) throws MalformedArchiveException {
    String last = described.text(FILE_NAME);
    if (last.isEmpty()) {
      throw new MalformedArchiveException("corrupt apk package: a file without a name");
    }
    String path = name + "/" + last;
    byte[] target = described.bytes(FILE_TARGET);
    return target == null
        ? listed(
            RawEntry.file(path, described.number(FILE_SIZE)),
            ContentDigest.of(described.bytes(FILE_DIGEST)))
        : listed(link(path, target), null);
  }

  private Apk3Entry listed(@Nullable RawEntry entry, @Nullable ContentDigest digest) {
    return new Apk3Entry(directory, file, entry, digest);
  }

  /** Null for what is no link: devices have a target, too. */
  private static @Nullable RawEntry link(String path, byte[] target)
      throws MalformedArchiveException {
    int type = target.length < TYPE_LENGTH ? 0 : target[0] & 0xff | (target[1] & 0xff) << 8;
    switch (type) {
      case SYMLINK:
        return new RawEntry(path, EntryType.SYMLINK, 0, targetPath(target));
      case REGULAR:
        return new RawEntry(path, EntryType.HARDLINK, 0, targetPath(target));
      case FIFO:
      case CHARACTER_DEVICE:
      case BLOCK_DEVICE:
        return null;
      default:
        throw new MalformedArchiveException("corrupt apk package: a file of no known type");
    }
  }

  private static String targetPath(byte[] target) {
    return new String(target, TYPE_LENGTH, target.length - TYPE_LENGTH, StandardCharsets.UTF_8);
  }
}
