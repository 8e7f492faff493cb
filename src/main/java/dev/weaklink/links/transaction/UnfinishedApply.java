package dev.weaklink.links.transaction;

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
import org.jspecify.annotations.Nullable;

/**
 * What {@code apply --rebuild} has begun: its transactions, which share the number of a group, and
 * the runs whose results it installs before it makes links of them. Until it is done, the file
 * {@code /var/lib/weaklink/unfinished} has that number in its first line and these runs in the
 * others: if it is broken off, whoever goes on knows what belongs to it.
 */
public final class UnfinishedApply {
  private static final String PLACE = "/var/lib/weaklink/unfinished";
  private static final int MAX_SIZE = 1 << 20;

  private final Root root;

  public UnfinishedApply(Root root) {
    this.root = root;
  }

  /**
   * Begins one, or goes on with one that was broken off after it changed something.
   *
   * @return the number of its group
   */
  public int begin() throws IOException {
    if (recorded() != null || !names().isEmpty()) {
      return group();
    }
    int last = 0;
    for (HistoryEntry entry : History.read(root).entries()) {
      last = Math.max(last, entry.number());
    }
    write(last + 1, List.of());
    return last + 1;
  }

  /** 0 if none has begun. */
  private int group() throws IOException {
    String first = lines().get(0);
    try {
      return first.isEmpty() ? 0 : Integer.parseInt(first);
    } catch (NumberFormatException e) {
      throw new IOException(PLACE + ": was not written by this program", e);
    }
  }

  private List<String> lines() throws IOException {
    return List.of(RootText.read(root.resolve(PLACE), MAX_SIZE).strip().split("\n", -1));
  }

  /**
   * What the history has of it.
   *
   * @return null if there is nothing, or if that was undone
   * @throws IOException if the history cannot be read
   */
  public @Nullable HistoryEntry recorded() throws IOException {
    int group = group();
    return group == 0 ? null : History.read(root).standing(group);
  }

  /**
   * The runs that it has installed or was about to, and that the history does not have, as {@code
   * KERNEL/N} in the order in which they were installed.
   *
   * @throws IOException if the history cannot be read
   */
  public List<String> names() throws IOException {
    List<String> lines = lines();
    List<String> names = new ArrayList<>(lines.subList(1, lines.size()));
    int group = group();
    if (!names.isEmpty()) {
      for (HistoryEntry entry : History.read(root).entries()) {
        if (entry.group() == group && entry.state() == TransactionState.DONE) {
          names.removeAll(entry.installed());
        }
      }
    }
    return names;
  }

  /** Adds a run that is about to be installed. */
  public void add(String run) throws IOException {
    List<String> names = names();
    names.remove(run);
    names.add(run);
    write(group(), names);
  }

  /** Keeps these runs only. */
  public void retain(List<String> kept) throws IOException {
    List<String> names = names();
    if (names.retainAll(kept)) {
      write(group(), names);
    }
  }

  /**
   * Whether a killed process left something to go on with; false while one is at work.
   *
   * @throws IOException if the history cannot be read
   */
  public boolean isInterrupted() throws IOException {
    return hasBegun() && LockFile.heldBy(lockFile()) == null && hasBegun();
  }

  private boolean hasBegun() throws IOException {
    return !names().isEmpty() || recorded() != null;
  }

  /** Held by who rebuilds and installs, for as long as that takes. */
  public Path lockFile() throws IOException {
    return root.resolve("/run/weaklink").resolve("apply.lock");
  }

  /** Forgets it: it is done, or was taken back. */
  public void forget() throws IOException {
    Files.deleteIfExists(root.resolve(PLACE));
  }

  private void write(int group, List<String> names) throws IOException {
    StringBuilder text = new StringBuilder().append(group).append('\n');
    names.forEach(name -> text.append(name).append('\n'));
    Path file = root.resolve(PLACE);
    DurableFiles.createDirectories(file.resolveSibling(""));
    DurableFiles.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
