package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The files in an rpm package's cpio archive. Of hard links the last one brings the contents. */
final class RpmPayload {
  private static final int MAX_TARGET = 4096;

  private final CpioReader cpio;
  private final PackageWalk walk;
  private final Map<Inode, List<String>> waiting = new HashMap<>();

  RpmPayload(InputStream in, RpmFiles files, PackageWalk walk) {
    this.cpio = new CpioReader(in, files);
    this.walk = walk;
  }

  void walk() throws IOException {
    for (CpioEntry entry = cpio.next(); entry != null; entry = cpio.next()) {
      if (entry.isDirectory()) {
        walk.entry(new RawEntry(entry.name(), EntryType.DIRECTORY, 0, ""), nothing());
      } else if (entry.isSymlink()) {
        walk.entry(new RawEntry(entry.name(), EntryType.SYMLINK, 0, target()), nothing());
      } else if (entry.isRegular()) {
        file(entry);
      }
    }
    if (!cpio.trailerSeen()) {
      throw new MalformedArchiveException("truncated: the rpm package's payload has no end");
    }
    for (List<String> empty : waiting.values()) {
      for (String path : empty) {
        walk.visit(path, RawEntry.file(path, 0), nothing());
      }
    }
  }

  private String target() throws IOException {
    byte[] target = cpio.contents().readNBytes(MAX_TARGET + 1);
    if (target.length > MAX_TARGET) {
      throw new MalformedArchiveException("corrupt rpm package: a link's target is too long");
    }
    return new String(target, StandardCharsets.UTF_8);
  }

  private void file(CpioEntry entry) throws IOException {
    String path = walk.accept(RawEntry.file(entry.name(), entry.size()));
    if (path == null) {
      return;
    }
    if (entry.links() <= 1) {
      walk.visit(path, RawEntry.file(path, entry.size()), cpio.contents());
    } else if (entry.size() == 0) {
      waiting.computeIfAbsent(Inode.of(entry), inode -> new ArrayList<>()).add(path);
    } else {
      List<String> names = waiting.remove(Inode.of(entry));
      linked(entry, names == null ? new ArrayList<>() : names, path);
    }
  }

  /** The first wanted name gets the contents. */
  private void linked(CpioEntry entry, List<String> names, String last) throws IOException {
    names.add(last);
    String first = last;
    for (String name : names) {
      if (walk.wants(name)) {
        first = name;
        break;
      }
    }
    walk.visit(first, RawEntry.file(first, entry.size()), cpio.contents());
    for (String name : names) {
      if (!name.equals(first)) {
        walk.visit(name, new RawEntry(name, EntryType.HARDLINK, 0, first), nothing());
      }
    }
  }

  private static InputStream nothing() {
    return InputStream.nullInputStream();
  }
}
