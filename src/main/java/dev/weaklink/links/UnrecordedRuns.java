package dev.weaklink.links;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs whose results {@code apply --rebuild} installs before it makes links. Until these are made,
 * no entry of the history has them, and the file {@code /var/lib/weaklink/unrecorded} names them:
 * if it is broken off, whoever goes on knows what belongs to it. A line is {@code N KERNEL/RUN}; an
 * entry later than the Nth that has the run makes the line void.
 */
public final class UnrecordedRuns {
  private static final String PLACE = "/var/lib/weaklink/unrecorded";
  private static final int MAX_SIZE = 1 << 20;

  private final Root root;

  public UnrecordedRuns(Root root) {
    this.root = root;
  }

  /**
   * Their names, {@code KERNEL/N}, in the order in which they were installed.
   *
   * @throws IOException if the history cannot be read
   */
  public List<String> names() throws IOException {
    return new ArrayList<>(read().keySet());
  }

  private Map<String, Integer> read() throws IOException {
    Map<String, Integer> runs = new LinkedHashMap<>();
    for (String line : RootText.read(root.resolve(PLACE), MAX_SIZE).split("\n", -1)) {
      int blank = line.indexOf(' ');
      if (blank > 0) {
        runs.put(line.substring(blank + 1), number(line.substring(0, blank)));
      }
    }
    if (!runs.isEmpty()) {
      for (HistoryEntry entry : History.read(root).entries()) {
        boolean isDone = entry.state() == TransactionState.DONE && entry.undoes() == 0;
        for (String run : isDone ? entry.installed() : List.<String>of()) {
          runs.computeIfPresent(run, (same, after) -> entry.number() > after ? null : after);
        }
      }
    }
    return runs;
  }

  private static int number(String digits) throws IOException {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      throw new IOException(PLACE + ": was not written by this program", e);
    }
  }

  /** Adds a run that is about to be installed. */
  public void add(String run) throws IOException {
    int last = 0;
    for (HistoryEntry entry : History.read(root).entries()) {
      last = entry.number();
    }
    Map<String, Integer> runs = read();
    runs.remove(run);
    runs.put(run, last);
    write(runs);
  }

  /** Keeps these only. */
  public void retain(List<String> names) throws IOException {
    Map<String, Integer> runs = read();
    if (runs.keySet().retainAll(names)) {
      write(runs);
    }
  }

  /**
   * Whether a killed process left any; false while one is at work.
   *
   * @throws IOException if the history cannot be read
   */
  public boolean isInterrupted() throws IOException {
    return !names().isEmpty() && LockFile.heldBy(lockFile()) == null && !names().isEmpty();
  }

  /** Held by who rebuilds and installs, for as long as that takes. */
  public Path lockFile() throws IOException {
    return root.resolve("/run/weaklink").resolve("apply.lock");
  }

  /** Forgets them: an entry of the history has them now, or they were taken back. */
  public void forget() throws IOException {
    Files.deleteIfExists(root.resolve(PLACE));
  }

  private void write(Map<String, Integer> runs) throws IOException {
    StringBuilder text = new StringBuilder();
    runs.forEach((run, after) -> text.append(after).append(' ').append(run).append('\n'));
    Path file = root.resolve(PLACE);
    DurableFiles.createDirectories(file.resolveSibling(""));
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    DurableFiles.create(fresh, text.toString().getBytes(StandardCharsets.UTF_8));
    DurableFiles.move(fresh, file);
  }
}
