package dev.weaklink.format.archive;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files an rpm header lists; each attribute is looked up where it is asked for. */
final class RpmFiles implements CpioReader.Stripped {
  private static final int TYPE = 0170000;
  private static final int REGULAR = 0100000;
  private static final int SYMLINK = 0120000;

  private final String[] baseNames;
  private final String[] dirNames;
  private final long[] dirIndexes;
  private final long[] sizes;
  private final long[] modes;
  private final String[] linkTargets;
  private final long[] inodes;
  private final long[] devices;

  /** Hard links by inode; made when they are needed. */
  private @Nullable Map<Inode, Links> links;

  /** The last file of an inode, which alone has contents, and how many there are. */
  private record Links(int last, int count) {}

  RpmFiles(RpmHeader header) throws MalformedArchiveException {
    boolean old = header.has(RpmTag.OLD_FILE_NAMES) && !header.has(RpmTag.BASE_NAMES);
    baseNames = header.strings(old ? RpmTag.OLD_FILE_NAMES : RpmTag.BASE_NAMES);
    dirNames = old ? new String[0] : header.strings(RpmTag.DIR_NAMES);
    dirIndexes = old ? new long[0] : header.numbers(RpmTag.DIR_INDEXES);
    boolean large = header.has(RpmTag.LONG_FILE_SIZES);
    sizes = header.numbers(large ? RpmTag.LONG_FILE_SIZES : RpmTag.FILE_SIZES);
    modes = header.numbers(RpmTag.FILE_MODES);
    linkTargets = header.strings(RpmTag.FILE_LINKTOS);
    inodes = header.numbers(RpmTag.FILE_INODES);
    devices = header.numbers(RpmTag.FILE_DEVICES);
  }

  /** The path as the header has it. */
  String path(int file) throws MalformedArchiveException {
    if (file >= baseNames.length) {
      throw new MalformedArchiveException("corrupt rpm package: it lists no file " + file);
    }
    if (dirIndexes.length == 0) {
      return baseNames[file];
    }
    long directory = value(dirIndexes, file);
    if (directory >= dirNames.length) {
      throw new MalformedArchiveException(
          "corrupt rpm package: it lists no directory " + directory);
    }
    return dirNames[(int) directory] + baseNames[file];
  }

  /** Whether any file is wanted. */
  boolean anyWanted(PackageWalk walk) throws MalformedArchiveException {
    for (int file = 0; file < baseNames.length; file++) {
      String path = EntryPath.of(path(file));
      if (path != null && walk.wants(path)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public CpioEntry entry(int file) throws MalformedArchiveException {
    String path = path(file);
    int mode = (int) value(modes, file);
    Inode inode = inode(file);
    int type = mode & TYPE;
    Links all = links().getOrDefault(inode, new Links(file, 1));
    long size = 0;
    if (type == SYMLINK && file < linkTargets.length) {
      size = linkTargets[file].getBytes(StandardCharsets.UTF_8).length;
    } else if (type == REGULAR && all.last() == file) {
      size = value(sizes, file);
    }
    return new CpioEntry(path, mode, inode.number(), inode.device(), all.count(), size);
  }

  private Map<Inode, Links> links() throws MalformedArchiveException {
    if (links == null) {
      links = new HashMap<>();
      for (int file = 0; file < baseNames.length; file++) {
        Inode inode = inode(file);
        Links before = links.get(inode);
        links.put(inode, new Links(file, before == null ? 1 : before.count() + 1));
      }
    }
    return links;
  }

  private Inode inode(int file) throws MalformedArchiveException {
    return new Inode(value(devices, file), value(inodes, file));
  }

  private static long value(long[] values, int file) throws MalformedArchiveException {
    if (file >= values.length || values[file] < 0) {
      throw new MalformedArchiveException(
          "corrupt rpm package: an attribute of file " + file + " is missing");
    }
    return values[file];
  }
}
