package dev.weaklink.format.archive;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Wanted hard links of an image's layer, whose contents have gone by under another name. In images
 * that were made from ostree, as those of RHEL CoreOS are, every file is one, to its object in
 * /sysroot/ostree/repo.
 */
final class HardLinks {
  /** What is held of a file with several names. */
  private static final int MOST_HELD = 64 << 20;

  private final PackageWalk walk;
  private final Map<String, List<String>> byTarget = new HashMap<>();

  HardLinks(PackageWalk walk) {
    this.walk = walk;
  }

  boolean isEmpty() {
    return byTarget.isEmpty();
  }

  /** Takes a link that a container would see. */
  void add(String path, RawEntry link) {
    String target = EntryPath.of(link.target());
    if (target == null) {
      walk.problem(path, "a hard link that leads out of the package; left out");
    } else if (walk.wants(path)) {
      byTarget.computeIfAbsent(target, key -> new ArrayList<>()).add(path);
    }
  }

  /** Hands over the links to a file. */
  void visit(RawEntry file, InputStream contents) throws IOException {
    String path = file.type() == EntryType.FILE ? EntryPath.of(file.name()) : null;
    List<String> names = path == null ? null : byTarget.remove(path);
    if (names == null) {
      return;
    }
    if (names.size() == 1) {
      visit(names.get(0), file, contents);
    } else if (file.size() > MOST_HELD) {
      walk.problem(names.get(0), "a large file with several names; left out");
    } else {
      byte[] bytes = contents.readAllBytes();
      for (String name : names) {
        visit(name, file, new ByteArrayInputStream(bytes));
      }
    }
  }

  private void visit(String name, RawEntry file, InputStream contents) throws IOException {
    walk.visit(name, RawEntry.file(name, file.size()), contents);
  }

  /** Says which lead to nothing. */
  void finish() {
    for (List<String> names : byTarget.values()) {
      walk.problem(names.get(0), "a hard link to a file that is not in its layer; left out");
    }
  }
}
