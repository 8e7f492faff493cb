package dev.weaklink.rebuild.run;

import dev.weaklink.links.transaction.FaultPoint;
import dev.weaklink.rebuild.run.InstallationJournal.Put;
import dev.weaklink.rebuild.run.InstallationJournal.State;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Files of one run, put into a root and taken out again. What is replaced is kept, and what will be
 * done is written down, before anything is changed: broken off anywhere, it can be taken back.
 */
final class InstalledFiles {
  private static final String FRESH = ".weaklink-new";

  private final Root root;
  private final Path run;
  private final FaultPoint faults;

  InstalledFiles(Root root, Path run, FaultPoint faults) {
    this.root = root;
    this.run = run;
    this.faults = faults;
  }

  /**
   * Puts files.
   *
   * @param files files of the host, by where they are put as seen from inside the root
   * @throws IOException if that fails; {@link #takeBack} undoes what was done
   */
  void put(Map<String, Path> files) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (Map.Entry<String, Path> file : new TreeMap<>(files).entrySet()) {
      puts.add(kept(file.getKey(), file.getValue(), puts.size()));
      faults.at("after keeping a file");
    }
    List<String> missing = missing(files.keySet());
    new InstallationJournal(State.INSTALLING, missing, puts, List.of()).write(run);
    faults.at("after writing the installation");
    for (Put put : puts) {
      Path file = files.get(put.inside());
      if (file != null) {
        put(file, root.resolve(put.inside()));
      }
    }
  }

  /** Directories that have to be made, each after those above it. */
  private List<String> missing(Set<String> files) throws IOException {
    Set<String> missing = new TreeSet<>();
    for (String file : files) {
      int slash = file.lastIndexOf('/');
      while (slash > 0 && !Files.isDirectory(root.resolve(file.substring(0, slash)))) {
        missing.add(file.substring(0, slash));
        slash = file.lastIndexOf('/', slash - 1);
      }
    }
    return new ArrayList<>(missing);
  }

  private Put kept(String inside, Path file, int number) throws IOException {
    if (inside.chars().anyMatch(c -> c < ' ')) {
      throw new IOException("a file has a name with control characters");
    }
    Path there = root.resolve(inside);
    String digest = DurableFiles.digest(file);
    if (!Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
      return new Put(inside, digest, null);
    }
    String name = Integer.toString(number);
    Path kept = run.resolve("replaced").resolve(name);
    DurableFiles.createDirectories(run.resolve("replaced"));
    Files.deleteIfExists(kept);
    Files.copy(there, kept, LinkOption.NOFOLLOW_LINKS);
    if (Files.isRegularFile(kept, LinkOption.NOFOLLOW_LINKS)) {
      DurableFiles.sync(kept);
    }
    DurableFiles.syncDirectory(run.resolve("replaced"));
    return new Put(inside, digest, name);
  }

  private void put(Path from, Path to) throws IOException {
    DurableFiles.createDirectories(parent(to));
    faults.at("after making a directory for a file");
    Path fresh = to.resolveSibling(to.getFileName() + FRESH);
    Files.deleteIfExists(fresh);
    Files.copy(from, fresh);
    faults.at("after copying a file");
    Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-r--r--"));
    DurableFiles.sync(fresh);
    DurableFiles.move(fresh, to);
    faults.at("after putting a file");
  }

  /**
   * Takes back what a journal says was put; can be repeated.
   *
   * @return paths inside the root of files that somebody changed since, which are left alone
   */
  List<String> takeBack(InstallationJournal journal) throws IOException {
    List<String> changed = new ArrayList<>();
    for (int i = journal.files().size() - 1; i >= 0; i--) {
      Put put = journal.files().get(i);
      Path there = root.resolve(put.inside());
      Files.deleteIfExists(there.resolveSibling(there.getFileName() + FRESH));
      if (!takeBack(put, there)) {
        changed.add(put.inside());
      }
      faults.at("after taking back a file");
    }
    removeEmpty(journal.directories());
    changed.sort(null);
    return changed;
  }

  private boolean takeBack(Put put, Path there) throws IOException {
    String kept = put.kept();
    if (kept == null) {
      boolean own = isRegular(there) && DurableFiles.digest(there).equals(put.digest());
      if (own) {
        Files.delete(there);
      }
      return own || !Files.exists(there, LinkOption.NOFOLLOW_LINKS);
    }
    Path directory = run.resolve("replaced");
    Path before = directory.resolve(kept);
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(directory + ": not a directory");
    }
    if (isSame(there, before)) {
      return true;
    }
    boolean own = isRegular(there) && DurableFiles.digest(there).equals(put.digest());
    if (own || !Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
      restore(before, there);
      return true;
    }
    return false;
  }

  private static void restore(Path kept, Path to) throws IOException {
    DurableFiles.createDirectories(parent(to));
    Path fresh = to.resolveSibling(to.getFileName() + FRESH);
    Files.deleteIfExists(fresh);
    Files.copy(kept, fresh, LinkOption.NOFOLLOW_LINKS);
    if (isRegular(fresh)) {
      Files.setPosixFilePermissions(fresh, Files.getPosixFilePermissions(kept));
      DurableFiles.sync(fresh);
    }
    DurableFiles.move(fresh, to);
  }

  private static boolean isSame(Path one, Path other) throws IOException {
    if (Files.isSymbolicLink(one) && Files.isSymbolicLink(other)) {
      return Files.readSymbolicLink(one).equals(Files.readSymbolicLink(other));
    }
    return isRegular(one) && isRegular(other) && Files.mismatch(one, other) < 0;
  }

  private static boolean isRegular(Path file) {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
  }

  /** Directories that were made and that others have nothing in. */
  private void removeEmpty(List<String> directories) throws IOException {
    for (int i = directories.size() - 1; i >= 0; i--) {
      try {
        Files.deleteIfExists(root.resolve(directories.get(i)));
      } catch (DirectoryNotEmptyException e) {
        // Then somebody uses it.
      }
    }
  }

  private static Path parent(Path file) throws IOException {
    @Nullable Path parent = file.getParent();
    if (parent == null) {
      throw new NoSuchFileException(file.toString());
    }
    return parent;
  }
}
