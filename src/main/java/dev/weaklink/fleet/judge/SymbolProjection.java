package dev.weaklink.fleet.judge;

import dev.weaklink.fleet.judge.AuditJudge.SetFacts;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.module.InternedNames;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The symbols that sets of modules import or export, each once, and what kernels have by these
 * names: all of a kernel's table of exports that a verdict on these modules can depend on.
 */
final class SymbolProjection {
  /** Every module asks for it (kernel/module/version.c:check_modstruct_version). */
  private static final SymbolNames MODULE_LAYOUT =
      new SymbolNames.Builder(1).add("module_layout").build();

  private static final long FOUND = 1L << 63;
  private static final int FLAGS_AT = 32;
  private static final int NAMESPACE_AT = 36;
  private static final int OWNER_AT = 48;
  private static final int MOST_NAMESPACES = (1 << (OWNER_AT - NAMESPACE_AT)) - 1;
  private static final int MOST_OWNERS = (1 << (63 - OWNER_AT)) - 1;

  private SymbolNames names;
  private ExportTable last = ExportTable.EMPTY;
  private int[] lastRows = new int[0];
  private final List<int[]> ofSets = new ArrayList<>();
  private final TextNumbers namespaces = new TextNumbers();
  private final TextNumbers owners = new TextNumbers();

  SymbolProjection(List<SetFacts> sets) {
    InternedNames interned = new InternedNames();
    interned.add(MODULE_LAYOUT, 0);
    for (SetFacts set : sets) {
      BitSet asked = new BitSet();
      asked.set(0);
      for (KernelModule module : set.known()) {
        add(module.imports().names(), interned, asked);
        add(module.exports().names(), interned, asked);
      }
      ofSets.add(asked.stream().toArray());
    }
    names = interned.build();
  }

  private static void add(SymbolNames names, InternedNames interned, BitSet asked) {
    for (int i = 0; i < names.size(); i++) {
      asked.set(interned.add(names, i));
    }
  }

  /**
   * What a kernel has by each of the names. Equal numbers mean rows that are equal in all that a
   * loader looks at: CRC, license, namespace and owner.
   *
   * @return null if there are too many namespaces or owners to number them
   */
  synchronized long @Nullable [] rows(ExportTable exports) {
    if (last == ExportTable.EMPTY) {
      sortLike(exports);
      last = exports;
    }
    int[] found = exports.find(last, lastRows);
    owners.next(exports.owners());
    namespaces.next(exports.namespaces());
    long[] rows = new long[found.length];
    for (int i = 0; i < rows.length; i++) {
      int row = lastRows[i] < 0 ? exports.find(names, i) : found[i];
      if (row >= 0) {
        rows[i] = row(exports, row);
      }
      found[i] = row;
    }
    last = exports;
    lastRows = found;
    return namespaces.count() > MOST_NAMESPACES || owners.count() > MOST_OWNERS ? null : rows;
  }

  private long row(ExportTable exports, int row) {
    int namespace = exports.namespaceIndex(row);
    return FOUND
        | (long) owners.number(exports.ownerIndex(row)) << OWNER_AT
        | (namespace < 0 ? 0L : (long) namespaces.number(namespace) << NAMESPACE_AT)
        | (long) exports.flags(row) << FLAGS_AT
        | exports.crc(row) & 0xffff_ffffL;
  }

  /**
   * Puts the names into the order of a kernel's rows. Other kernels have much the same order, so
   * that each is found beside the one before.
   */
  private void sortLike(ExportTable exports) {
    long[] places = new long[names.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = (long) exports.find(names, i) << Integer.SIZE | i;
    }
    Arrays.sort(places);
    int[] moved = new int[places.length];
    lastRows = new int[places.length];
    InternedNames sorted = new InternedNames();
    for (int to = 0; to < places.length; to++) {
      int from = (int) places[to];
      moved[from] = to;
      lastRows[to] = (int) (places[to] >> Integer.SIZE);
      sorted.add(names, from);
    }
    names = sorted.build();
    for (int[] asked : ofSets) {
      for (int i = 0; i < asked.length; i++) {
        asked[i] = moved[asked[i]];
      }
    }
  }

  /** Of a set's symbols only, out of those of all. */
  long[] ofSet(int set, long[] rows) {
    int[] asked = ofSets.get(set);
    long[] own = new long[asked.length];
    for (int i = 0; i < own.length; i++) {
      own[i] = rows[asked[i]];
    }
    return own;
  }

  /**
   * Numbers for the texts of one list after another, such as the owners of kernels' exports: equal
   * texts have equal numbers. Of lists that are much the same few texts are looked up.
   */
  private static final class TextNumbers {
    private final Map<String, Integer> known = new HashMap<>();
    private List<String> before = List.of();
    private int[] numbersBefore = new int[0];
    private List<String> texts = List.of();
    private int[] numbers = new int[0];

    /** By number, where its text was when it was last asked for. */
    private int[] places = new int[64];

    /** How far texts stand behind their places in the list before. */
    private int shift;

    /** From now on texts of this list are asked for. */
    public void next(List<String> list) {
      before = texts;
      numbersBefore = numbers;
      texts = list;
      numbers = new int[list.size()];
      shift = 0;
    }

    /** How many different texts were asked for. */
    public int count() {
      return known.size();
    }

    /** The number of a text, from 1 on. */
    public int number(int index) {
      int number = numbers[index];
      if (number == 0) {
        number = find(index);
        numbers[index] = number;
        places[number] = index;
      }
      return number;
    }

    private int find(int index) {
      String text = texts.get(index);
      int likely = index - shift;
      if (likely >= 0
          && likely < numbersBefore.length
          && numbersBefore[likely] != 0
          && before.get(likely).equals(text)) {
        return numbersBefore[likely];
      }
      Integer number = known.get(text);
      if (number != null) {
        shift = index - places[number];
        return number;
      }
      int added = known.size() + 1;
      known.put(text, added);
      if (added == places.length) {
        places = Arrays.copyOf(places, added * 2);
      }
      return added;
    }
  }
}
