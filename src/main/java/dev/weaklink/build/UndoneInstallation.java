package dev.weaklink.build;

import dev.weaklink.build.InstallationJournal.State;
import dev.weaklink.links.TransactionSettings;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last installation for a kernel that was not undone yet, taken back.
 *
 * @param run the run that had installed it; null if there is none
 * @param files what was put or replaced, as seen from inside the root; empty if programs did it
 * @param changed those of them that somebody changed since, which are left as they are
 * @param commands what has to be run to take it back, where this program cannot
 */
public record UndoneInstallation(
    @Nullable Path run, List<String> files, List<String> changed, List<String> commands) {
  public UndoneInstallation {
    files = List.copyOf(files);
    changed = List.copyOf(changed);
    commands = List.copyOf(commands);
  }

  /**
   * Takes it back, and renews depmod's files.
   *
   * @return null if somebody else is building for that kernel
   * @throws IOException if that fails; it can be repeated
   */
  public static @Nullable UndoneInstallation of(
      Root root, String kernel, TransactionSettings settings) throws IOException {
    try (LockFile lock = Installation.lock(root, kernel)) {
      return lock == null ? null : locked(root, kernel, settings);
    }
  }

  private static UndoneInstallation locked(Root root, String kernel, TransactionSettings settings)
      throws IOException {
    for (Path run : RunDirectory.newestFirst(root, kernel)) {
      InstallationJournal journal = InstallationJournal.read(run);
      if (journal != null && journal.state() != State.UNDONE) {
        return undo(root, kernel, run, journal, settings);
      }
    }
    return new UndoneInstallation(null, List.of(), List.of(), List.of());
  }

  private static UndoneInstallation undo(
      Root root, String kernel, Path run, InstallationJournal journal, TransactionSettings settings)
      throws IOException {
    if (journal.files().isEmpty()) {
      return new UndoneInstallation(run, List.of(), List.of(), journal.commands());
    }
    List<String> changed = new InstalledFiles(root, run, settings.faults()).takeBack(journal);
    Installation.depmod(root, kernel, settings);
    journal.in(State.UNDONE).write(run);
    List<String> files = new ArrayList<>();
    for (InstallationJournal.Put put : journal.files()) {
      files.add(put.inside());
    }
    return new UndoneInstallation(run, files, changed, List.of());
  }

  /**
   * Takes back what was broken off in the middle. To be called with the lock held.
   *
   * @return whether there was such
   */
  static boolean recover(Root root, String kernel, Path run) throws IOException {
    InstallationJournal journal = InstallationJournal.read(run);
    if (journal == null || journal.state() != State.INSTALLING || journal.files().isEmpty()) {
      return false;
    }
    undo(root, kernel, run, journal, TransactionSettings.DEFAULT);
    return true;
  }
}
