package dev.weaklink.links.transaction;

import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Changes links, files and directories on disk, forwards or back. Each step looks first what is
 * there, so that it can be repeated after an interruption, wherever that was.
 *
 * <p>Whatever needs space on the disk is made before the first of them changes: new ones and copies
 * of old ones lie ready under temporary names beside their place. From then on there are renames
 * and removals only, in both directions. What files contain is in the transaction's directory.
 */
final class ChangeApplier {
  private final FaultPoint faults;
  private final TransactionDirectory directory;
  private final List<Step> steps = new ArrayList<>();
  private final Set<String> conflicts = new TreeSet<>();

  /** A change with its place on disk. */
  private record Step(ManagedPath path, PathChange change, Path fresh, Path kept) {}

  /**
   * For the changes of one transaction, sorted by path.
   *
   * @throws IOException if one of them is in a place where nothing may be changed
   */
  ChangeApplier(
      TransactionContext context, TransactionDirectory directory, List<PathChange> changes)
      throws IOException {
    this.faults = context.faults();
    this.directory = directory;
    for (int i = 0; i < changes.size(); i++) {
      String name = directory.number() + "-" + i;
      PathChange change = changes.get(i);
      try {
        ManagedPath path = ManagedPath.parse(context.root(), change.path());
        path.check(change.before());
        path.check(change.after());
        Path fresh = path.temporary(name + "-new");
        steps.add(new Step(path, change, fresh, path.temporary(name + "-old")));
      } catch (NoSuchFileException e) {
        conflicts.add(change.path() + ": kernel directory no longer exists");
      }
    }
  }

  /** What was left alone, as it was neither what it should have been before nor afterwards. */
  Set<String> conflicts() {
    return conflicts;
  }

  /** Makes directories, and what is put under temporary names; nothing else changes yet. */
  void prepare() throws IOException {
    for (Step step : steps) {
      if (step.change.after() instanceof PathState.Directory directory) {
        makeDirectory(step, directory);
      }
    }
    for (Step step : steps) {
      if (!step.change.isDirectory() && isPending(step)) {
        stage(step);
      }
    }
    sync();
  }

  /** Its mode is set after it was made, and an interruption may come between the two. */
  private void makeDirectory(Step step, PathState.Directory directory) throws IOException {
    PathState state = step.path.state();
    if (state instanceof PathState.Absent) {
      faults.at("before making a directory");
      Files.createDirectory(step.path.host());
      faults.at("after making a directory");
    }
    if (!directory.equals(step.path.state())) {
      Files.setAttribute(
          step.path.host(), "unix:mode", directory.mode(), LinkOption.NOFOLLOW_LINKS);
      faults.at("after setting a directory's mode");
    }
  }

  private void stage(Step step) throws IOException {
    faults.at("before preparing a link");
    Files.deleteIfExists(step.fresh);
    Files.deleteIfExists(step.kept);
    if (!step.change.removes()) {
      make(step.fresh, step.change.after());
      faults.at("after making a new link");
    }
    if (!(step.change.before() instanceof PathState.Absent)) {
      keep(step);
      faults.at("after keeping an old link");
    }
  }

  /** The link or file itself if possible: it has an owner and a date, too. */
  private void keep(Step step) throws IOException {
    try {
      Files.createLink(step.kept, step.path.host());
    } catch (IOException | UnsupportedOperationException e) {
      make(step.kept, step.change.before());
    }
  }

  private void make(Path path, PathState state) throws IOException {
    if (state instanceof PathState.Link link) {
      Files.createSymbolicLink(path, Path.of(link.target()));
    } else if (state instanceof PathState.File file) {
      directory.write(file, path);
    }
  }

  private static boolean isMade(Path path, PathState state) throws IOException {
    return state instanceof PathState.File file
        ? Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
            && DurableFiles.digest(path).equals(file.sha256())
        : Files.isSymbolicLink(path);
  }

  /** Puts links and files in their places and removes others. */
  void commit() throws IOException {
    for (Step step : steps) {
      if (!step.change.isDirectory() && isPending(step)) {
        faults.at("before changing a link");
        put(step.path, step.change.after(), step.fresh);
        faults.at("after changing a link");
      }
    }
    sync();
  }

  /** Renames what is prepared into its place; makes it again if an interruption lost it. */
  private void put(ManagedPath path, PathState state, Path prepared) throws IOException {
    if (state instanceof PathState.Absent) {
      Files.delete(path.host());
      return;
    }
    if (!isMade(prepared, state)) {
      Files.deleteIfExists(prepared);
      make(prepared, state);
    }
    Files.move(prepared, path.host(), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Removes what was kept for the way back, and directories that are empty now. */
  void finish() throws IOException {
    removeTemporaries();
    for (int i = steps.size() - 1; i >= 0; i--) {
      if (isDirectory(steps.get(i)) && steps.get(i).change.removes()) {
        removeDirectory(steps.get(i));
      }
    }
    sync();
  }

  /** Restores what was there before. */
  void takeBack() throws IOException {
    for (Step step : steps) {
      if (step.change.before() instanceof PathState.Directory directory) {
        makeDirectory(step, directory);
      }
    }
    for (Step step : steps) {
      if (!step.change.isDirectory() && isDone(step)) {
        faults.at("before taking back a link");
        put(step.path, step.change.before(), step.kept);
        faults.at("after taking back a link");
      }
    }
    removeTemporaries();
    for (int i = steps.size() - 1; i >= 0; i--) {
      if (isDirectory(steps.get(i)) && !steps.get(i).change.removes()) {
        removeDirectory(steps.get(i));
      }
    }
    sync();
  }

  private void removeTemporaries() throws IOException {
    for (Step step : steps) {
      if (!step.change.isDirectory() && wayIsThere(step)) {
        Files.deleteIfExists(step.fresh);
        faults.at("after removing a temporary link");
        Files.deleteIfExists(step.kept);
      }
    }
  }

  private boolean wayIsThere(Step step) throws IOException {
    step.path.checkWay();
    return Files.isDirectory(step.path.directory(), LinkOption.NOFOLLOW_LINKS);
  }

  /** One that others have put something into stays. */
  private void removeDirectory(Step step) throws IOException {
    if (!(step.path.state() instanceof PathState.Directory)) {
      return;
    }
    faults.at("before removing a directory");
    try {
      Files.delete(step.path.host());
    } catch (DirectoryNotEmptyException e) {
      return;
    }
    faults.at("after removing a directory");
  }

  private boolean isPending(Step step) throws IOException {
    return is(step, step.change.before(), step.change.after());
  }

  private boolean isDone(Step step) throws IOException {
    return is(step, step.change.after(), step.change.before());
  }

  /** Whether there is what is to be changed; anything unforeseen is left alone. */
  private boolean is(Step step, PathState from, PathState to) throws IOException {
    PathState state = step.path.state();
    if (state.equals(from)) {
      return true;
    }
    if (!state.equals(to)) {
      conflicts.add(step.path.text() + " was changed by somebody else");
    }
    return false;
  }

  private static boolean isDirectory(Step step) {
    return step.change.isDirectory();
  }

  private void sync() throws IOException {
    Set<Path> directories = new TreeSet<>();
    for (Step step : steps) {
      Path parent = step.path.directory();
      if (Files.isDirectory(parent, LinkOption.NOFOLLOW_LINKS)) {
        directories.add(parent);
      }
    }
    for (Path directory : directories) {
      faults.at("before fsync of a directory");
      DurableFiles.syncDirectory(directory);
    }
  }
}
