package dev.weaklink.rebuild.run;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Copies of the logs that a build wrote itself, below the directory of its run. */
final class KeptLogs {
  private static final int MAX_LOGS = 200;
  private static final int MAX_DEPTH = 16;
  private static final long SIZE_LIMIT = 16 << 20;

  private final Path logs;
  private final List<Path> bases;

  /**
   * Of one run.
   *
   * @param logs where copies are put
   * @param bases directories that logs are named after: a copy is called as the log is below the
   *     first of them that it lies in
   */
  KeptLogs(Path logs, List<Path> bases) {
    this.logs = logs;
    this.bases = List.copyOf(bases);
  }

  /** What a copy of that log is called; null if the log lies in none of the directories. */
  @Nullable Path copyOf(Path log) {
    for (Path base : bases) {
      if (log.startsWith(base)) {
        return logs.resolve(base.relativize(log).toString());
      }
    }
    return null;
  }

  /** Copies what a directory has that is called a log and is not older. */
  void addFrom(Path directory, Instant since) throws IOException {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(directory, Set.of(), MAX_DEPTH, new Keeper(since));
    }
  }

  /** Copies one log. */
  void add(String name) throws IOException {
    try {
      Path log = Path.of(name).normalize();
      if (Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS) && Files.size(log) <= SIZE_LIMIT) {
        copy(log);
      }
    } catch (InvalidPathException e) {
      // Then it is no log.
    }
  }

  private void copy(Path log) throws IOException {
    Path copy = copyOf(log);
    if (copy == null || Files.exists(copy, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Path parent = copy.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.copy(log, copy, LinkOption.NOFOLLOW_LINKS);
  }

  /** Goes through a tree. */
  private final class Keeper extends SimpleFileVisitor<Path> {
    private final Instant since;
    private int kept;

    Keeper(Instant since) {
      this.since = since;
    }

    /** A directory that somebody removes meanwhile is passed over. */
    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      boolean isLog =
          String.valueOf(file.getFileName()).endsWith(".log")
              && attributes.isRegularFile()
              && attributes.size() <= SIZE_LIMIT
              && !attributes.lastModifiedTime().toInstant().isBefore(since);
      if (isLog) {
        copy(file);
        kept++;
      }
      return kept < MAX_LOGS ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }
}
