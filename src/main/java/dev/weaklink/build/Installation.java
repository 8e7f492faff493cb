package dev.weaklink.build;

import dev.weaklink.links.LinkTransaction;
import dev.weaklink.links.TransactionException;
import dev.weaklink.links.TransactionListener;
import dev.weaklink.links.TransactionRunner;
import dev.weaklink.links.TransactionSettings;
import dev.weaklink.rebuild.Platform;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Installs what was built: by the tool that built it, as packages where the root has a database of
 * their kind, else as files, and then depmod. Files that are replaced are kept with the run.
 */
public final class Installation {
  private static final Duration LIMIT = Duration.ofMinutes(30);

  private final PreparedRebuild prepared;
  private final RebuildOutcome outcome;
  private final Root root;
  private final List<FileChange> changes = new ArrayList<>();

  /** A file that was put, and the one that was in its place, if any. */
  private record FileChange(Path put, Path kept) {}

  public Installation(PreparedRebuild prepared, RebuildOutcome outcome) {
    this.prepared = prepared;
    this.outcome = outcome;
    this.root = prepared.root();
  }

  /**
   * Installs.
   *
   * @throws InstallationException if that fails; says whether everything is as before
   */
  public void run() throws InstallationException {
    try {
      List<Step> steps = steps();
      if (steps.isEmpty()) {
        putFiles();
      }
      for (Step step : steps) {
        execute(step);
      }
      depmod();
    } catch (IOException | UnusableJobException e) {
      String reason =
          e instanceof IOException io ? IoReason.of(io) : String.valueOf(e.getMessage());
      throw new InstallationException("cannot install: " + reason, takeBack());
    }
  }

  /** What installs it if not we; empty if we do. */
  private List<Step> steps() throws UnusableJobException {
    List<Step> own = prepared.backend().installation(prepared.job());
    if (!own.isEmpty() || outcome.results().packages().isEmpty()) {
      return own;
    }
    Platform.Family family = prepared.evidence().platform().family();
    boolean rpm = family == Platform.Family.RED_HAT || family == Platform.Family.SUSE;
    List<String> words = new ArrayList<>();
    if (rpm && all(".rpm")) {
      // Packages of the same version are rebuilt, and must be taken for new all the same.
      words.addAll(List.of("rpm", "--upgrade", "--oldpackage", "--replacepkgs", "--force"));
      words.addAll(root.isHost() ? List.of() : List.of("--root", root.top().toString()));
    } else if (family == Platform.Family.DEBIAN && all(".deb")) {
      words.add("dpkg");
      words.addAll(root.isHost() ? List.of() : List.of("--root=" + root.top()));
      words.add("--install");
    } else {
      return List.of();
    }
    for (Path file : outcome.results().packages()) {
      words.add(file.toString());
    }
    return List.of(new Step("installing packages", words, Map.of(), null));
  }

  private boolean all(String ending) {
    for (Path file : outcome.results().packages()) {
      if (!file.toString().endsWith(ending)) {
        return false;
      }
    }
    return true;
  }

  private void execute(Step step) throws IOException {
    Map<String, String> environment = new HashMap<>(prepared.request().environment());
    environment.putAll(step.environment());
    environment.remove("TMPDIR");
    ExternalCommand.Result result =
        ExternalCommand.of(step.words(), LIMIT).withEnvironment(environment).run();
    if (!result.succeeded()) {
      List<String> lines = result.lines();
      String last = lines.isEmpty() ? "" : ": " + lines.get(lines.size() - 1);
      throw new IOException(step.words().get(0) + ": " + result.reason() + last);
    }
  }

  private void putFiles() throws IOException {
    String kernel = prepared.job().place().kernel();
    Placement placement =
        new Placement(kernel, prepared.evidence().platform(), outcome.manifest().before());
    for (Path file : outcome.results().modules()) {
      String inside = "/lib/modules/" + kernel + "/" + placement.of(file);
      put(file, root.resolve(inside));
    }
  }

  /** Puts a file in place of what is there, which is kept. */
  private void put(Path from, Path to) throws IOException {
    Path directory = to.getParent();
    if (directory == null) {
      throw new IOException(to + ": has no directory");
    }
    DurableFiles.createDirectories(directory);
    Path kept = outcome.directory().resolve("replaced").resolve(Integer.toString(changes.size()));
    if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
      DurableFiles.createDirectories(outcome.directory().resolve("replaced"));
      Files.copy(to, kept, LinkOption.NOFOLLOW_LINKS);
    }
    Path fresh = to.resolveSibling(to.getFileName() + ".weaklink-new");
    Files.deleteIfExists(fresh);
    Files.copy(from, fresh);
    Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-r--r--"));
    DurableFiles.sync(fresh);
    changes.add(new FileChange(to, kept));
    DurableFiles.move(fresh, to);
  }

  /** Files of the host that were put in place. */
  public List<Path> files() {
    List<Path> files = new ArrayList<>();
    for (FileChange change : changes) {
      files.add(change.put());
    }
    return files;
  }

  private boolean takeBack() {
    if (changes.isEmpty()) {
      return false;
    }
    try {
      for (int i = changes.size() - 1; i >= 0; i--) {
        FileChange change = changes.get(i);
        Files.deleteIfExists(change.put());
        if (Files.exists(change.kept(), LinkOption.NOFOLLOW_LINKS)) {
          Files.copy(change.kept(), change.put(), LinkOption.NOFOLLOW_LINKS);
        }
      }
      depmod();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** As a transaction without links: in an image it must not follow links out of it. */
  private void depmod() throws IOException {
    String kernel = prepared.job().place().kernel();
    try {
      new TransactionRunner(root, TransactionSettings.DEFAULT, TransactionListener.NONE)
          .run(
              new LinkTransaction(
                  "weaklink rebuild --kernel " + kernel, List.of(), List.of(kernel), List.of()));
    } catch (TransactionException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
