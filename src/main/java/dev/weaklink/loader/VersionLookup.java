package dev.weaklink.loader;

import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds a symbol's entry in a module's version table. The first entry of a name decides, as in the
 * kernel's linear search. One instance serves many modules, one after the other.
 */
final class VersionLookup {
  private static final int NOT_FOUND = -1;

  private SymbolNames names = SymbolNames.NONE;
  private int[] slots = new int[256];
  private int mask;
  private @Nullable SymbolNames pool;
  private int[] entryOf = new int[0];
  private int[] tableOf = new int[0];
  private int table;

  /** Turns to another table. */
  void reset(VersionTable table) {
    names = table.names();
    if (names.pool() != null) {
      resetTo(names.pool());
      return;
    }
    pool = null;
    int room = Integer.highestOneBit(Math.max(names.size(), 1) * 2) * 2;
    if (slots.length < room) {
      slots = new int[room];
    } else {
      Arrays.fill(slots, 0, room, 0);
    }
    mask = room - 1;
    for (int i = 0; i < names.size(); i++) {
      insert(i);
    }
  }

  /** Names that share a pool need no search: each has its place in an array. */
  private void resetTo(SymbolNames newPool) {
    if (pool != newPool) {
      pool = newPool;
      entryOf = new int[newPool.size()];
      tableOf = new int[newPool.size()];
      table = 0;
    }
    table++;
    for (int i = 0; i < names.size(); i++) {
      int at = names.poolIndex(i);
      if (tableOf[at] != table) {
        tableOf[at] = table;
        entryOf[at] = i;
      }
    }
  }

  private void insert(int index) {
    int slot = names.slot(index, mask);
    while (slots[slot] != 0) {
      if (names.same(slots[slot] - 1, names, index)) {
        return;
      }
      slot = (slot + 1) & mask;
    }
    slots[slot] = index + 1;
  }

  /** Index of the first entry for a symbol, or -1. */
  int find(SymbolNames symbols, int index) {
    if (pool != null) {
      return symbols.pool() == pool ? findInPool(symbols.poolIndex(index)) : scan(symbols, index);
    }
    int slot = symbols.slot(index, mask);
    while (slots[slot] != 0) {
      int entry = slots[slot] - 1;
      if (names.same(entry, symbols, index)) {
        return entry;
      }
      slot = (slot + 1) & mask;
    }
    return NOT_FOUND;
  }

  private int findInPool(int at) {
    return tableOf[at] == table ? entryOf[at] : NOT_FOUND;
  }

  /** For the few names that do not come from the module itself. */
  private int scan(SymbolNames symbols, int index) {
    for (int i = 0; i < names.size(); i++) {
      if (names.same(i, symbols, index)) {
        return i;
      }
    }
    return NOT_FOUND;
  }
}
