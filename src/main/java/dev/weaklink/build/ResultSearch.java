package dev.weaklink.build;

import dev.weaklink.rebuild.Promise;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks for what a build promised. */
final class ResultSearch {
  private static final Path TEMPORARY = Path.of("/tmp");
  private static final int MAX_DEPTH = 12;
  private static final int MAX_VISITED = 500_000;

  private final Path work;
  private final Instant since;

  /**
   * Of one run.
   *
   * @param work where it works; a file that is named must lie there
   * @param since files that are older were there before
   */
  ResultSearch(Path work, Instant since) {
    this.work = work;
    this.since = since;
  }

  /** The files, sorted; none if the promise was not kept. */
  List<Path> find(Promise promise, List<String> printed) throws IOException {
    List<Path> found = new ArrayList<>();
    if (promise instanceof Promise.Printed named) {
      for (String line : printed) {
        if (line.startsWith(named.prefix())) {
          addNamed(line.substring(named.prefix().length()).strip(), found);
        }
      }
    } else if (promise instanceof Promise.Files files) {
      Finder finder = new Finder(files, found);
      for (String directory : files.directories()) {
        Path start = Path.of(directory);
        if (Files.isDirectory(start)) {
          Files.walkFileTree(start, Set.of(), MAX_DEPTH, finder);
        }
      }
    }
    found.sort(null);
    return found;
  }

  private void addNamed(String name, List<Path> found) {
    try {
      Path file = Path.of(name).normalize();
      boolean there = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) > 0;
      if (there && file.toRealPath().startsWith(work.toRealPath()) && !found.contains(file)) {
        found.add(file);
      }
    } catch (IOException | InvalidPathException e) {
      // A file that cannot be checked is no result.
    }
  }

  /**
   * Whether a directory is one of /tmp's that was there before: what a tool leaves in /tmp lies in
   * a directory that it made, and the others may be many, and of programs that change them
   * meanwhile.
   */
  static boolean isOfOthers(Path directory, BasicFileAttributes attributes, Instant since) {
    return TEMPORARY.equals(directory.getParent())
        && attributes.lastModifiedTime().toInstant().isBefore(since);
  }

  /** Collects files by name and age. */
  private final class Finder extends SimpleFileVisitor<Path> {
    private final Promise.Files wanted;
    private final List<Path> found;
    private int visited;

    Finder(Promise.Files wanted, List<Path> found) {
      this.wanted = wanted;
      this.found = found;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
      return isOfOthers(directory, attributes, since)
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    /** A directory that somebody removes meanwhile is passed over. */
    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      boolean fresh = !wanted.fresh() || !attributes.lastModifiedTime().toInstant().isBefore(since);
      if (attributes.isRegularFile() && fresh && isNamed(String.valueOf(file.getFileName()))) {
        found.add(file);
      }
      return ++visited < MAX_VISITED ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
    }

    private boolean isNamed(String name) {
      return wanted.endings().stream()
          .anyMatch(ending -> name.endsWith(ending) && name.startsWith(wanted.name()));
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }
}
