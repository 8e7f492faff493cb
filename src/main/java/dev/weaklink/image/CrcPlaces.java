package dev.weaklink.image;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tables of CRCs between the export tables and their strings, where the linker script has
 * put them since 3.10 (asm-generic/vmlinux.lds.h): one for each, in the same order. The width of an
 * entry, u32 or up to 4.9 unsigned long, is the one with which they fill the room.
 */
final class CrcPlaces {
  private static final int[] WIDTHS = {Integer.BYTES, Long.BYTES};
  private static final int MAX_ALIGNMENT = 64;

  private final Entries entries;

  CrcPlaces(Entries entries) {
    this.entries = entries;
  }

  /** The tables with the places of their CRCs; without if they are not there. */
  Tables add(List<Table> tables) {
    Table last = tables.get(tables.size() - 1);
    int end = last.start() + last.count() * entries.layout().size();
    int strings = firstString(tables);
    for (int width : WIDTHS) {
      for (int alignment = width; alignment <= MAX_ALIGNMENT; alignment *= 2) {
        List<Table> placed = placed(tables, end, strings, width, alignment);
        if (placed != null) {
          return new Tables(entries, placed, width);
        }
      }
    }
    return new Tables(entries, tables, 0);
  }

  /** Null if they do not end where the strings begin. */
  private static @Nullable List<Table> placed(
      List<Table> tables, int end, int strings, int width, int alignment) {
    List<Table> placed = new ArrayList<>();
    long at = end;
    for (Table table : tables) {
      long start = at + alignment - 1 & -alignment;
      placed.add(table.with((int) start));
      at = start + (long) table.count() * width;
    }
    return at <= strings && strings - at < width ? placed : null;
  }

  private int firstString(List<Table> tables) {
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
