package dev.weaklink.format.archive;

import java.util.HashSet;
import java.util.Set;

/**
 * What the layers above hide of the next one (OCI image specification, layer.md): files of the same
 * path, what lies below a path that is no directory any more, and what whiteouts take away.
 */
final class UpperLayers {
  private static final String WHITEOUT = ".wh.";
  private static final String OPAQUE = ".wh..wh..opq";

  private final Paths above = new Paths();

  /** Of the layer in hand, which hides nothing of itself. */
  private final Paths current = new Paths();

  private static final class Paths {
    final Set<String> directories = new HashSet<>();
    final Set<String> others = new HashSet<>();
    final Set<String> removed = new HashSet<>();
    final Set<String> emptied = new HashSet<>();

    void moveTo(Paths target) {
      target.directories.addAll(directories);
      target.others.addAll(others);
      target.removed.addAll(removed);
      target.emptied.addAll(emptied);
      directories.clear();
      others.clear();
      removed.clear();
      emptied.clear();
    }
  }

  /** Takes note of an entry; false if it is a whiteout or hidden. */
  boolean shows(String path, EntryType type) {
    int slash = path.lastIndexOf('/');
    String name = path.substring(slash + 1);
    if (name.equals(OPAQUE)) {
      current.emptied.add(path.substring(0, slash));
      return false;
    }
    if (name.startsWith(WHITEOUT)) {
      current.removed.add(path.substring(0, slash + 1) + name.substring(WHITEOUT.length()));
      return false;
    }
    (type == EntryType.DIRECTORY ? current.directories : current.others).add(path);
    return !isHidden(path, type);
  }

  private boolean isHidden(String path, EntryType type) {
    if (above.others.contains(path) || above.removed.contains(path)) {
      return true;
    }
    if (type != EntryType.DIRECTORY && above.directories.contains(path)) {
      return true;
    }
    int slash = path.lastIndexOf('/');
    while (slash >= 0) {
      String parent = path.substring(0, slash);
      if (above.others.contains(parent)
          || above.removed.contains(parent)
          || above.emptied.contains(parent)) {
        return true;
      }
      slash = slash == 0 ? -1 : path.lastIndexOf('/', slash - 1);
    }
    return false;
  }

  /** The next entries are of the layer below. */
  void descend() {
    current.moveTo(above);
  }
}
