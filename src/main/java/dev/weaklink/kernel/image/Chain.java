package dev.weaklink.kernel.image;

import dev.weaklink.kernel.image.Table.License;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The export tables around one entry of the first of them. Inside a table names ascend; where they
 * descend, or after padding, the next table begins.
 */
final class Chain {
  private static final int MIN_ENTRIES = 3;
  private static final int MAX_TABLES = 5;
  private static final int MAX_PADDING = 16;

  /** A table so short behind all others may be CRCs or flags that look like entries. */
  private static final int DOUBTFUL = 2;

  private final Entries entries;
  private final SearchBudget budget;
  private final int size;
  private final List<Integer> starts = new ArrayList<>();
  private final List<Integer> ends = new ArrayList<>();

  private Chain(Entries entries, SearchBudget budget) {
    this.entries = entries;
    this.budget = budget;
    this.size = entries.layout().size();
  }

  /** The tables, null if there is no entry or it has too few neighbours. */
  static @Nullable Tables through(Entries entries, int entry, SearchBudget budget) {
    Chain chain = new Chain(entries, budget);
    int name = entry < 0 || !budget.take() ? -1 : entries.name(entry);
    if (name < 0) {
      return null;
    }
    int start = chain.backward(entry, name);
    chain.forward(start, entry, name);
    return chain.tables();
  }

  private int backward(int entry, int entryName) {
    int start = entry;
    int name = entryName;
    while (start >= size && budget.take()) {
      int before = entries.name(start - size);
      if (before < 0 || !entries.ascends(before, name)) {
        break;
      }
      name = before;
      start -= size;
    }
    return start;
  }

  private void forward(int start, int entry, int entryName) {
    starts.add(start);
    int at = entry;
    int name = entryName;
    while (budget.take()) {
      int next = at + size;
      int nextName = entries.name(next);
      if (nextName < 0) {
        next = afterPadding(next);
        nextName = next < 0 ? -1 : entries.name(next);
      }
      if (nextName < 0) {
        break;
      }
      if (next != at + size || !entries.ascends(name, nextName)) {
        if (starts.size() == MAX_TABLES) {
          break;
        }
        ends.add(at + size);
        starts.add(next);
      }
      at = next;
      name = nextName;
    }
    ends.add(at + size);
  }

  private int afterPadding(int offset) {
    Blob image = entries.image();
    for (int at = offset; at < offset + MAX_PADDING; at += 4) {
      if (!image.contains(at, 4) || image.i32(at) != 0) {
        return at > offset && image.contains(at, 4) ? at : -1;
      }
    }
    return -1;
  }

  private @Nullable Tables tables() {
    int count = 0;
    for (int i = 0; i < starts.size(); i++) {
      count += count(i);
    }
    if (count < MIN_ENTRIES) {
      return null;
    }
    Tables whole = CrcPlaces.add(entries, tables(starts.size()));
    for (int last = starts.size() - 1; last > 0 && count(last) <= DOUBTFUL; last--) {
      Tables shorter = CrcPlaces.add(entries, tables(last));
      if (!whole.isBacked() && shorter.isBacked()) {
        return shorter;
      }
    }
    return whole;
  }

  private int count(int table) {
    return (ends.get(table) - starts.get(table)) / size;
  }

  /**
   * What is third and later (up to 5.11) cannot be distinguished, as empty tables leave no trace.
   */
  private List<Table> tables(int number) {
    List<Table> tables = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      License license = i == 0 ? License.ANY : i == 1 ? License.GPL_ONLY : License.UNKNOWN;
      // Alone it has flags, or is of a layout that is not known here.
      license = number == 1 ? License.UNKNOWN : license;
      tables.add(new Table(license, starts.get(i), count(i), -1, -1));
    }
    return tables;
  }
}
