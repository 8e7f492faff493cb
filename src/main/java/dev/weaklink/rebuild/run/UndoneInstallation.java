package dev.weaklink.rebuild.run;

import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Backends;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.rebuild.run.InstallationJournal.State;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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
  private static final String LINKS = "links";

  public UndoneInstallation {
    files = List.copyOf(files);
    changed = List.copyOf(changed);
    commands = List.copyOf(commands);
  }

  /**
   * Takes it back, and renews depmod's files.
   *
   * @param waiting gets a line about the process that depmod waits for
   * @return null if another rebuild is running for that kernel
   * @throws IOException if that fails; it can be repeated
   */
  public static @Nullable UndoneInstallation of(
      Root root, String kernel, TransactionSettings settings, Consumer<String> waiting)
      throws IOException {
    try (LockFile lock = Installation.lock(root, kernel)) {
      return lock == null ? null : locked(root, kernel, settings, waiting);
    }
  }

  private static UndoneInstallation locked(
      Root root, String kernel, TransactionSettings settings, Consumer<String> waiting)
      throws IOException {
    Path run = last(root, kernel);
    InstallationJournal journal = run == null ? null : InstallationJournal.read(run);
    return run == null || journal == null
        ? new UndoneInstallation(null, List.of(), List.of(), List.of())
        : undo(root, kernel, run, journal, settings, waiting);
  }

  /** The run that would be taken back, null if there is none. */
  private static @Nullable Path last(Root root, String kernel) throws IOException {
    for (Path run : RunDirectory.newestFirst(root, kernel)) {
      InstallationJournal journal = InstallationJournal.read(run);
      if (journal != null && journal.state() != State.UNDONE) {
        return run;
      }
    }
    return null;
  }

  /** Writes down in which transaction an installation changed links. */
  public static void recordLinks(Path run, int transaction) throws IOException {
    if (transaction > 0) {
      Path file = run.resolve(LINKS);
      Files.deleteIfExists(file);
      DurableFiles.create(file, (transaction + "\n").getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** The transaction in which the installation that would be taken back changed links, or 0. */
  public static int linksToUndo(Root root, String kernel) throws IOException {
    Path run = last(root, kernel);
    try {
      return run == null ? 0 : Integer.parseInt(RootText.read(run.resolve(LINKS), 16).strip());
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Its links are taken back: they are not taken back once more. */
  public static void forgetLinks(Root root, String kernel) throws IOException {
    Path run = last(root, kernel);
    if (run != null) {
      Files.deleteIfExists(run.resolve(LINKS));
    }
  }

  /**
   * Takes back what a run installed; depmod is left to who calls it.
   *
   * @param name the run as {@code KERNEL/N}
   * @throws IOException if that fails, or another rebuild is running for that kernel; it can be
   *     repeated
   */
  public static UndoneInstallation ofRun(Root root, String name, TransactionSettings settings)
      throws IOException {
    Path run = RunDirectory.named(root, name);
    String kernel = RunDirectory.kernelOf(name);
    try (LockFile lock = Installation.lock(root, kernel)) {
      if (lock == null) {
        throw new IOException("another rebuild is running for " + kernel);
      }
      InstallationJournal journal = InstallationJournal.read(run);
      return journal == null || journal.state() == State.UNDONE
          ? new UndoneInstallation(null, List.of(), List.of(), List.of())
          : undo(root, kernel, run, journal, settings, null);
    }
  }

  private static UndoneInstallation undo(
      Root root,
      String kernel,
      Path run,
      InstallationJournal journal,
      TransactionSettings settings,
      @Nullable Consumer<String> waiting)
      throws IOException {
    if (journal.files().isEmpty()) {
      List<String> commands = root.isHost() ? journal.commands() : commands(root, kernel, run);
      return new UndoneInstallation(run, List.of(), List.of(), commands);
    }
    List<String> changed = new InstalledFiles(root, run, settings.faults()).takeBack(journal);
    if (waiting != null) {
      Installation.depmod(root, kernel, settings, waiting);
    }
    journal.in(State.UNDONE).write(run);
    List<String> files = journal.files().stream().map(InstallationJournal.Put::inside).toList();
    return new UndoneInstallation(run, files, changed, List.of());
  }

  /** An image's journal may be anybody's work, and its words are not for a shell of the host. */
  private static List<String> commands(Root root, String kernel, Path run) throws IOException {
    List<String> commands = new ArrayList<>();
    Manifest manifest = EarlierRuns.read(run.resolve("manifest.json"));
    Backend backend = manifest == null ? null : Backends.named(manifest.backend());
    if (manifest != null && backend != null) {
      try {
        Job job =
            new Job(
                new Job.Place(kernel, "/", run.toString(), root.top().toString()).checked(),
                new Job.Settings(null, false, false, Map.of(), List.of()),
                null,
                KeptRun.packages(manifest),
                null,
                Job.OwnCommand.NONE);
        backend.removal(job).forEach(step -> commands.add(step.commandLine()));
      } catch (UnusableJobException e) {
        commands.clear();
      }
    }
    return commands.isEmpty()
        ? List.of(
            "the image's package manager, to remove what " + RunDirectory.name(run) + " installed")
        : commands;
  }

  /**
   * Takes back what was broken off in the middle. To be called with the lock held.
   *
   * @return whether there was such
   */
  static boolean recover(Root root, String kernel, Path run, Consumer<String> waiting)
      throws IOException {
    InstallationJournal journal = InstallationJournal.read(run);
    if (journal == null || journal.state() != State.INSTALLING || journal.files().isEmpty()) {
      return false;
    }
    undo(root, kernel, run, journal, TransactionSettings.DEFAULT, waiting);
    return true;
  }
}
