package dev.weaklink.kernel;

import dev.weaklink.module.SymbolNames;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The index of the rows of an {@link ExportTable} by symbol and by exporter. Symbols are in a hash table with open
 * addressing over the hashes of {@link SymbolNames}, so that a search builds no {@code String}. If a symbol occurs more
 * than once, a search finds the first. Kernels that share exports share one index, so that the symbols of a module are
 * looked up once for all of them.
 */
final class RowIndex {
    private static final int NOT_FOUND = -1;

    private final SymbolNames names;
    private final int[] ownerOf;
    private final int[] slots;
    private final boolean repeating;
    private final Map<SymbolNames, int[]> found = new ConcurrentHashMap<>();
    private @Nullable String @Nullable [] texts;
    private volatile int @Nullable [] byExporter;

    /** Creates an index that uses the array without copying it: for each row, the number of its exporter. */
    RowIndex(SymbolNames names, int[] ownerOf) {
        this.names = names;
        this.ownerOf = ownerOf;
        this.slots = new int[Integer.highestOneBit(Math.max(names.size(), 1) * 2) * 2];
        this.repeating = !fill();
    }

    private boolean fill() {
        boolean once = true;
        int mask = slots.length - 1;
        for (int i = 0; i < names.size(); i++) {
            int slot = names.slot(i, mask);
            while (slots[slot] != 0 && !names.same(i, names, slots[slot] - 1)) {
                slot = (slot + 1) & mask;
            }
            if (slots[slot] == 0) {
                slots[slot] = i + 1;
            } else {
                once = false;
            }
        }
        return once;
    }

    SymbolNames names() {
        return names;
    }

    /** Returns whether a symbol occurs more than once. */
    boolean repeating() {
        return repeating;
    }

    int find(SymbolNames wanted, int index) {
        int mask = slots.length - 1;
        int slot = wanted.slot(index, mask);
        while (slots[slot] != 0) {
            int row = slots[slot] - 1;
            if (names.same(row, wanted, index)) {
                return row;
            }
            slot = (slot + 1) & mask;
        }
        return NOT_FOUND;
    }

    /** Returns the results of all searches, which the caller must not change, and keeps them. */
    int[] find(SymbolNames wanted) {
        int[] known = found.get(wanted);
        if (known == null) {
            known = new int[wanted.size()];
            for (int i = 0; i < known.length; i++) {
                known[i] = find(wanted, i);
            }
            found.put(wanted, known);
        }
        return known;
    }

    String text(int row) {
        @Nullable String[] known = texts;
        if (known == null) {
            known = new String[names.size()];
            texts = known;
        }
        String text = known[row];
        if (text == null) {
            text = names.name(row);
            known[row] = text;
        }
        return text;
    }

    /** Returns the rows of an exporter, in order. */
    int[] rowsOf(int exporter) {
        int[] known = byExporter;
        if (known == null) {
            known = byExporter();
            byExporter = known;
        }
        int exporters = known.length - ownerOf.length - 1;
        return exporter < exporters ? Arrays.copyOfRange(known, known[exporter], known[exporter + 1]) : new int[0];
    }

    /**
     * Returns the places of each exporter's first row in this array, followed by the rows in the order of exporters.
     */
    private int[] byExporter() {
        int exporters = 0;
        for (int owner : ownerOf) {
            exporters = Math.max(exporters, owner + 1);
        }
        int[] all = new int[exporters + 1 + ownerOf.length];
        int[] ends = new int[exporters];
        for (int owner : ownerOf) {
            ends[owner]++;
        }
        int place = exporters + 1;
        for (int owner = 0; owner < exporters; owner++) {
            all[owner] = place;
            place += ends[owner];
            ends[owner] = all[owner];
        }
        all[exporters] = place;
        for (int row = 0; row < ownerOf.length; row++) {
            all[ends[ownerOf[row]]++] = row;
        }
        return all;
    }
}
