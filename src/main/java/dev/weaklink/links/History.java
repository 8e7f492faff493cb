package dev.weaklink.links;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of a root. Reading it needs no lock and creates nothing.
 *
 * @param entries from old to new
 * @param problems records that cannot be read, each in one line
 */
public record History(List<HistoryEntry> entries, List<String> problems) {
  public History {
    entries = List.copyOf(entries);
    problems = List.copyOf(problems);
  }

  /**
   * Reads it; a root without one has an empty history.
   *
   * @throws IOException if the directory is there but cannot be read
   */
  public static History read(Root root) throws IOException {
    throw new UnsupportedOperationException("not yet: " + root);
  }

  /** The transaction of this number, or null. */
  public @Nullable HistoryEntry entry(int number) {
    for (HistoryEntry entry : entries) {
      if (entry.number() == number) {
        return entry;
      }
    }
    return null;
  }

  /** The last one that was carried out (an undo is one, too), or null: what "undo" undoes. */
  public @Nullable HistoryEntry last() {
    for (int i = entries.size() - 1; i >= 0; i--) {
      if (entries.get(i).state() == TransactionState.DONE) {
        return entries.get(i);
      }
    }
    return null;
  }
}
