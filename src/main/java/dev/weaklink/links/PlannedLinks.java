package dev.weaklink.links;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The links of a transaction while it is planned, before what becomes of directories is known. */
final class PlannedLinks {
  private final List<PathChange> changes = new ArrayList<>();
  private final List<LinkPath> made = new ArrayList<>();
  private final Map<Path, LinkPath> abandoned = new HashMap<>();
  private final Set<Path> gone = new HashSet<>();
  private final Set<Path> needed = new HashSet<>();
  private final Map<Path, Integer> modes = new HashMap<>();

  /** A link that is to become like this; if it is so already, its directories stay all the same. */
  void link(LinkPath path, PathState before, PathState after) {
    if (!(after instanceof PathState.Absent)) {
      for (LinkPath parent : path.parents()) {
        needed.add(parent.host());
      }
    }
    if (after.equals(before)) {
      return;
    }
    changes.add(new PathChange(path.text(), before, after));
    if (!(after instanceof PathState.Absent)) {
      made.add(path);
    } else {
      gone.add(path.host());
      path.parents().forEach(this::abandon);
    }
  }

  /** A directory that is to go if nothing else is in it. */
  void abandon(LinkPath directory) {
    abandoned.put(directory.host(), directory);
  }

  /** If this directory has to be made, then with this mode. */
  void mode(LinkPath directory, int mode) {
    modes.put(directory.host(), mode);
  }

  /** The changes of links. */
  List<PathChange> changes() {
    return changes;
  }

  /** The links that exist in the end and need directories. */
  List<LinkPath> made() {
    return made;
  }

  /** Directories that may go, each before those above it. */
  List<LinkPath> abandoned() {
    List<LinkPath> deepestFirst = new ArrayList<>(abandoned.values());
    deepestFirst.removeIf(directory -> needed.contains(directory.host()));
    deepestFirst.sort((a, b) -> b.host().compareTo(a.host()));
    return deepestFirst;
  }

  boolean isGone(Path host) {
    return gone.contains(host);
  }

  void markGone(LinkPath directory) {
    gone.add(directory.host());
  }

  int mode(Path directory) {
    return modes.getOrDefault(directory, 0755);
  }
}
