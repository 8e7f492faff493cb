package dev.weaklink.links;

import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Changes links, texts and directories on disk, forwards or back. Each step looks first what is
 * there, so that it can be repeated after an interruption, wherever that was.
 *
 * <p>Whatever needs space on the disk is made before the first link changes: new links and copies
 * of old ones lie ready under temporary names beside their place. From then on there are renames
 * and removals only, in both directions.
 */
final class LinkApplier {
  private static final Set<PosixFilePermission> READABLE =
      PosixFilePermissions.fromString("rw-r--r--");

  private final FaultPoint faults;
  private final List<Step> steps = new ArrayList<>();
  private final Set<String> conflicts = new TreeSet<>();

  /** A change with its place on disk. */
  private record Step(LinkPath path, PathChange change, Path newLink, Path oldLink) {}

  /**
   * For the changes of one transaction, sorted by path.
   *
   * @throws IOException if one of them is in a place where nothing may be changed
   */
  LinkApplier(Workplace workplace, int number, List<PathChange> changes) throws IOException {
    this.faults = workplace.faults();
    for (int i = 0; i < changes.size(); i++) {
      String name = number + "-" + i;
      try {
        LinkPath path = LinkPath.parse(workplace.root(), changes.get(i).path());
        Path newLink = path.temporary(name + "-new");
        steps.add(new Step(path, changes.get(i), newLink, path.temporary(name + "-old")));
      } catch (NoSuchKernelException e) {
        conflicts.add(changes.get(i).path() + " is gone with its kernel");
      }
    }
  }

  /** What was left alone, as it was neither what it should have been before nor afterwards. */
  Set<String> conflicts() {
    return conflicts;
  }

  /** Makes directories, and links under temporary names; no link changes yet. */
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
    Files.deleteIfExists(step.newLink);
    Files.deleteIfExists(step.oldLink);
    if (!step.change.removes()) {
      make(step.newLink, step.change.after());
      faults.at("after making a new link");
    }
    if (!(step.change.before() instanceof PathState.Absent)) {
      keep(step);
      faults.at("after keeping an old link");
    }
  }

  /** The link itself if possible: it has an owner and a date, too. */
  private static void keep(Step step) throws IOException {
    try {
      Files.createLink(step.oldLink, step.path.host());
    } catch (IOException | UnsupportedOperationException e) {
      make(step.oldLink, step.change.before());
    }
  }

  private static void make(Path path, PathState state) throws IOException {
    if (state instanceof PathState.Link link) {
      Files.createSymbolicLink(path, Path.of(link.target()));
    } else if (state instanceof PathState.Text text) {
      DurableFiles.create(path, text.content().getBytes(StandardCharsets.UTF_8));
      Files.setPosixFilePermissions(path, READABLE);
    }
  }

  private static boolean isMade(Path path, PathState state) throws IOException {
    return state instanceof PathState.Text text
        ? Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
            && Files.readString(path).equals(text.content())
        : Files.isSymbolicLink(path);
  }

  /** Puts the links in their places and removes others. */
  void commit() throws IOException {
    for (Step step : steps) {
      if (!step.change.isDirectory() && isPending(step)) {
        faults.at("before changing a link");
        put(step.path, step.change.after(), step.newLink);
        faults.at("after changing a link");
      }
    }
    sync();
  }

  /** Renames the prepared link into its place; makes it again if an interruption lost it. */
  private static void put(LinkPath path, PathState state, Path prepared) throws IOException {
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
        put(step.path, step.change.before(), step.oldLink);
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
        Files.deleteIfExists(step.newLink);
        faults.at("after removing a temporary link");
        Files.deleteIfExists(step.oldLink);
      }
    }
  }

  private boolean wayIsThere(Step step) throws IOException {
    step.path.checkWay();
    return Files.isDirectory(step.path.parent().host(), LinkOption.NOFOLLOW_LINKS);
  }

  /** One that others have put something into, or removed, is none of our business any more. */
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
      Path kernel = step.path.kernel().host();
      Path parent = step.path.isTop() ? kernel : step.path.parent().host();
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
