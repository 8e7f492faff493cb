package dev.weaklink.kernel.image;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tables of CRCs between the export tables and their strings, where the linker script has
 * put them since 3.10 (asm-generic/vmlinux.lds.h): one for each, in the same order. The width of an
 * entry, u32 or up to 4.9 unsigned long, is the one with which they fill the room. From 7.1 on
 * there is one export table, and a table of flags, a byte for each symbol, comes last.
 */
final class CrcPlaces {
  private static final int[] WIDTHS = {Integer.BYTES, Long.BYTES};
  private static final int MAX_ALIGNMENT = 64;

  /** More than the flags that there are; what is larger is no table of flags. */
  private static final int MAX_FLAGS = 16;

  private final Entries entries;
  private final List<Table> tables;
  private final int end;
  private final int strings;

  private CrcPlaces(Entries entries, List<Table> tables) {
    this.entries = entries;
    this.tables = tables;
    Table last = tables.get(tables.size() - 1);
    this.end = last.start() + last.count() * entries.layout().size();
    this.strings = firstString();
  }

  /** The tables with the places of their CRCs and flags; without if they are not there. */
  static Tables add(Entries entries, List<Table> tables) {
    return new CrcPlaces(entries, tables).add();
  }

  private Tables add() {
    for (int flagWidth = tables.size() == 1 ? 1 : 0; flagWidth >= 0; flagWidth--) {
      for (int width : WIDTHS) {
        for (int alignment = width; alignment <= MAX_ALIGNMENT; alignment *= 2) {
          List<Table> placed = placed(width, alignment, flagWidth);
          if (placed != null) {
            return new Tables(entries, placed, width);
          }
        }
      }
    }
    Table only = tables.get(0);
    if (tables.size() == 1 && end + only.count() == strings && areFlags(end, only.count())) {
      return new Tables(entries, List.of(only.with(-1, end)), 0);
    }
    return new Tables(entries, tables, 0);
  }

  /** Null if they do not end where the strings begin. */
  private @Nullable List<Table> placed(int width, int alignment, int flagWidth) {
    List<Table> placed = new ArrayList<>();
    long at = end;
    for (Table table : tables) {
      long start = at + alignment - 1 & -alignment;
      at = start + (long) table.count() * width;
      placed.add(table.with((int) start, flagWidth > 0 ? (int) at : -1));
      at += (long) table.count() * flagWidth;
    }
    if (at > strings || strings - at >= width) {
      return null;
    }
    Table first = placed.get(0);
    return flagWidth == 0 || areFlags(first.flags(), first.count()) ? placed : null;
  }

  private boolean areFlags(int start, int count) {
    byte[] data = entries.image().data();
    for (int at = start; at < start + count; at++) {
      if (data[at] < 0 || data[at] >= MAX_FLAGS) {
        return false;
      }
    }
    return true;
  }

  private int firstString() {
    int first = Integer.MAX_VALUE;
    int size = entries.layout().size();
    for (Table table : tables) {
      for (int i = 0, at = table.start(); i < table.count(); i++, at += size) {
        first = Math.min(first, entries.name(at));
        int namespace = entries.namespaceString(at);
        first = namespace < 0 ? first : Math.min(first, namespace);
      }
    }
    return first;
  }
}
