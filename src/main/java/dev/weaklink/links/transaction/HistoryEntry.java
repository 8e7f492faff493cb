package dev.weaklink.links.transaction;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of the past.
 *
 * @param time when it began
 * @param kernels for which depmod ran
 * @param changes of links and directories, sorted by path
 * @param installed runs of rebuilds that were installed before it, or, if it undoes another, taken
 *     back before it; as {@code KERNEL/N}
 * @param undoes the number of the transaction it undid, or 0
 * @param initramfsPending kernels whose initramfs should have been renewed and was not
 * @param problem why it was rolled back, or null
 */
public record HistoryEntry(
    int number,
    Instant time,
    String title,
    TransactionState state,
    List<String> kernels,
    List<PathChange> changes,
    List<String> installed,
    int undoes,
    int group,
    List<String> initramfsPending,
    @Nullable String problem) {
  public HistoryEntry {
    kernels = List.copyOf(kernels);
    changes = List.copyOf(changes);
    installed = List.copyOf(installed);
    initramfsPending = List.copyOf(initramfsPending);
  }

  /**
   * Whether, after this one was interrupted and then finished or taken back, undoing is done: it
   * was itself that undoing, or it is what was to be undone, and was taken back.
   *
   * @param wanted the transaction to be undone; 0 for the last one
   */
  public boolean settlesUndoOf(int wanted) {
    return state == TransactionState.DONE
        ? undoes > 0 && (wanted == 0 || wanted == undoes)
        : undoes == 0 && (wanted == 0 || wanted == number);
  }

  /** Whether nothing is different for it. */
  boolean isEmpty() {
    return changes.isEmpty() && installed.isEmpty();
  }

  /** How many links it made where there was none. */
  public int linksMade() {
    int made = 0;
    for (PathChange change : changes) {
      made += change.isLink() && change.before() instanceof PathState.Absent ? 1 : 0;
    }
    return made;
  }

  /** How many links it removed. */
  public int linksRemoved() {
    int removed = 0;
    for (PathChange change : changes) {
      removed += change.isLink() && change.after() instanceof PathState.Absent ? 1 : 0;
    }
    return removed;
  }

  /** How many links it let point elsewhere. */
  public int linksReplaced() {
    int links = 0;
    for (PathChange change : changes) {
      links += change.isLink() ? 1 : 0;
    }
    return links - linksMade() - linksRemoved();
  }
}
