package dev.weaklink.system.offers;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.Symvers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the packages of a kernel say that they export, {@code kernel(SYMBOL) = CRC}: of the symbols
 * that were asked for. Not who exports them, to whose modules, or in which namespace.
 *
 * @param exports without a CRC where packages contradict each other
 * @param complete whether vmlinux and all packages of modules say what they export
 * @param usual symbols that packages of some kernel publish; that another one is not there says
 *     nothing, as a distribution may not publish what some modules export
 */
public record PublishedSymbols(ExportTable exports, boolean complete, Set<String> usual) {
  public PublishedSymbols {
    usual = Set.copyOf(usual);
  }

  /** Kernels export more than that; lists of stable symbols alone are shorter. */
  private static final int LEAST_OF_VMLINUX = 4000;

  /** The symbols that matter, looked up by their bytes. */
  static final class Wanted {
    private final byte[][] names;
    private final boolean[] published;

    /** Places by hash, one more than they are; a power of two, at most half full. */
    private final int[] table;

    Wanted(Set<String> symbols) {
      names = new byte[symbols.size()][];
      published = new boolean[names.length];
      int place = 0;
      for (String symbol : new TreeSet<>(symbols)) {
        names[place++] = symbol.getBytes(StandardCharsets.ISO_8859_1);
      }
      table = new int[Integer.highestOneBit(Math.max(1, names.length)) << 2];
      for (int i = 0; i < names.length; i++) {
        int slot = hash(names[i], 0, names[i].length);
        while (table[slot] != 0) {
          slot = slot + 1 & table.length - 1;
        }
        table[slot] = i + 1;
      }
    }

    /** Those that were found so far. */
    Set<String> published() {
      Set<String> found = new HashSet<>();
      for (int i = 0; i < names.length; i++) {
        if (published[i]) {
          found.add(new String(names[i], StandardCharsets.ISO_8859_1));
        }
      }
      return found;
    }

    int size() {
      return names.length;
    }

    byte[] name(int place) {
      return names[place];
    }

    /** Its place, -1 if it does not matter. */
    int find(byte[] bytes, int from, int to) {
      int slot = hash(bytes, from, to);
      while (table[slot] != 0) {
        byte[] name = names[table[slot] - 1];
        if (Arrays.equals(name, 0, name.length, bytes, from, to)) {
          return table[slot] - 1;
        }
        slot = slot + 1 & table.length - 1;
      }
      return -1;
    }

    private int hash(byte[] bytes, int from, int to) {
      int hash = to - from;
      for (int i = from; i < to; i++) {
        hash = hash * 31 + bytes[i];
      }
      return (hash ^ hash >>> 15) & table.length - 1;
    }
  }

  /** Collects what packages of one kernel say. */
  static final class Builder {
    private static final byte ABSENT = 0;
    private static final byte KNOWN = 1;
    private static final byte WITHOUT_CRC = 2;

    private final Wanted wanted;
    private final int[] crcs;
    private final byte[] states;

    /** How many symbols there were, of those that matter or not. */
    int count;

    Builder(Wanted wanted) {
      this.wanted = wanted;
      crcs = new int[wanted.size()];
      states = new byte[wanted.size()];
    }

    /** Counts a symbol, and says its place; -1 if it does not matter. */
    int find(byte[] bytes, int from, int to) {
      count++;
      return wanted.find(bytes, from, to);
    }

    /**
     * Adds the symbol of a place; {@code crc} is null for what is none, and 0 says that there is
     * none.
     *
     * @param published whether a kernel has it; else a package requires it of one
     */
    void add(int place, @Nullable Integer crc, boolean published) {
      wanted.published[place] |= published;
      boolean known = crc != null && crc != 0;
      add(place, known ? KNOWN : WITHOUT_CRC, known ? crc : 0);
    }

    void addAll(Builder other) {
      for (int i = 0; i < states.length; i++) {
        if (other.states[i] != ABSENT) {
          add(i, other.states[i], other.crcs[i]);
        }
      }
    }

    private void add(int place, byte state, int crc) {
      boolean same = states[place] == ABSENT || states[place] == state && crcs[place] == crc;
      states[place] = same ? state : WITHOUT_CRC;
      crcs[place] = crc;
    }

    /** The CRCs that are known. */
    Map<String, Integer> crcs() {
      Map<String, Integer> known = new HashMap<>();
      for (int i = 0; i < states.length; i++) {
        if (states[i] == KNOWN) {
          known.put(new String(wanted.name(i), StandardCharsets.ISO_8859_1), crcs[i]);
        }
      }
      return known;
    }

    /**
     * All of it, when those of all kernels have been read.
     *
     * @param ofVmlinux how many symbols the package with the kernel itself has
     * @param ofModules how many each package has that has modules only
     */
    PublishedSymbols build(int ofVmlinux, List<Integer> ofModules) {
      ExportTableBuilder rows = new ExportTableBuilder(states.length);
      int owner = rows.owner(Symvers.VMLINUX);
      for (int i = 0; i < states.length; i++) {
        byte[] name = wanted.name(i);
        if (states[i] != ABSENT) {
          Integer crc = states[i] == KNOWN ? (Integer) crcs[i] : null;
          rows.addUnknown(name, crc, owner);
        }
      }
      boolean complete =
          ofVmlinux >= LEAST_OF_VMLINUX && !ofModules.isEmpty() && !ofModules.contains(0);
      return new PublishedSymbols(rows.build(), complete, wanted.published());
    }
  }
}
