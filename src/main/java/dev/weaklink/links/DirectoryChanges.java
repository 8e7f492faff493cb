package dev.weaklink.links;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Adds to the changes of links what this means for directories. */
final class DirectoryChanges {
  private final PlannedLinks links;
  private final Map<String, PathChange> changes = new TreeMap<>();

  DirectoryChanges(PlannedLinks links) {
    this.links = links;
  }

  /**
   * All changes, sorted by path.
   *
   * @param mayBeRemoved whether a directory goes when it becomes empty
   */
  List<PathChange> complete(Predicate<LinkPath> mayBeRemoved) throws IOException {
    for (PathChange change : links.changes()) {
      changes.put(change.path(), change);
    }
    for (LinkPath link : links.made()) {
      for (LinkPath directory : link.parents()) {
        make(directory);
      }
    }
    for (LinkPath directory : links.abandoned()) {
      if (mayBeRemoved.test(directory)) {
        removeIfEmpty(directory);
      }
    }
    return new ArrayList<>(changes.values());
  }

  private void make(LinkPath directory) throws IOException {
    if (!changes.containsKey(directory.text()) && directory.state() instanceof PathState.Absent) {
      PathState made = new PathState.Directory(links.mode(directory.host()));
      changes.put(directory.text(), new PathChange(directory.text(), PathState.ABSENT, made));
    }
  }

  private void removeIfEmpty(LinkPath directory) throws IOException {
    PathState state = directory.state();
    if (state instanceof PathState.Directory && becomesEmpty(directory.host())) {
      links.markGone(directory);
      changes.put(directory.text(), new PathChange(directory.text(), state, PathState.ABSENT));
    }
  }

  private boolean becomesEmpty(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (!links.isGone(entry)) {
          return false;
        }
      }
      return true;
    } catch (DirectoryIteratorException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }
}
