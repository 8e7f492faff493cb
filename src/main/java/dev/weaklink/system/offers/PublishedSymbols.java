package dev.weaklink.system.offers;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.Symvers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the packages of a kernel say that they export, {@code kernel(SYMBOL) = CRC}: of the symbols that were asked for.
 * Not who exports them, to whose modules, or in which namespace.
 *
 * @param exports without a CRC where packages contradict each other
 * @param complete whether vmlinux and all packages of modules say what they export
 * @param usual symbols that packages of some kernel publish; that another one is not there says nothing, as a
 *     distribution may not publish what some modules export
 */
public record PublishedSymbols(ExportTable exports, boolean complete, Set<String> usual) {
    public PublishedSymbols {
        usual = Set.copyOf(usual);
    }

    /** Kernels export more than that; lists of stable symbols alone are shorter. */
    private static final int LEAST_OF_VMLINUX = 4000;

    /** The symbols that matter, and which of them some kernel has. */
    static final class Wanted {
        private final List<String> names;
        private final Map<String, Integer> places = new HashMap<>();
        private final Set<String> published = new HashSet<>();

        Wanted(Set<String> symbols) {
            names = List.copyOf(new TreeSet<>(symbols));
            for (String name : names) {
                places.put(name, places.size());
            }
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
            crcs = new int[wanted.names.size()];
            states = new byte[wanted.names.size()];
        }

        /** Counts a symbol, and says its place; -1 if it does not matter. */
        int find(String symbol) {
            count++;
            return wanted.places.getOrDefault(symbol, -1);
        }

        /**
         * Adds the symbol of a place; {@code crc} is null for what is none, and 0 says that there is none.
         *
         * @param published whether a kernel has it; else a package requires it of one
         */
        void add(int place, @Nullable Integer crc, boolean published) {
            if (published) {
                wanted.published.add(wanted.names.get(place));
            }
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
                    known.put(wanted.names.get(i), crcs[i]);
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
                byte[] name = wanted.names.get(i).getBytes(StandardCharsets.ISO_8859_1);
                if (states[i] != ABSENT) {
                    Integer crc = states[i] == KNOWN ? (Integer) crcs[i] : null;
                    rows.addUnknown(name, crc, owner);
                }
            }
            boolean complete = ofVmlinux >= LEAST_OF_VMLINUX && !ofModules.isEmpty() && !ofModules.contains(0);
            return new PublishedSymbols(rows.build(), complete, wanted.published);
        }
    }
}
