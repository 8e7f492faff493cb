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
 * The symbols that the packages of a kernel declare as exports, such as {@code kernel(SYMBOL) = CRC}. Only symbols
 * given to {@link Offers#read} are included. The exporting module, license and namespace are unknown.
 *
 * @param exports the exports; a CRC is unknown if a package declares none, or if packages contradict each other
 * @param complete true if the packages seem to declare all exports of the kernel and its modules, judging by their
 *     number
 * @param usual the symbols that packages of at least one offered kernel declare. Any other symbol may still be
 *     exported, because a distribution may not declare the exports of some modules
 */
public record PublishedSymbols(ExportTable exports, boolean complete, Set<String> usual) {
    public PublishedSymbols {
        usual = Set.copyOf(usual);
    }

    /** The minimum number of exports of a whole kernel; a list of only the stable symbols (kABI) is shorter. */
    private static final int LEAST_OF_VMLINUX = 4000;

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

    static final class SymbolCollector {
        private static final byte ABSENT = 0;
        private static final byte KNOWN = 1;
        private static final byte WITHOUT_CRC = 2;

        private final Wanted wanted;
        private final int[] crcs;
        private final byte[] states;

        /** The number of symbols in a package's metadata, including symbols that were not looked for. */
        int count;

        SymbolCollector(Wanted wanted) {
            this.wanted = wanted;
            crcs = new int[wanted.names.size()];
            states = new byte[wanted.names.size()];
        }

        int find(String symbol) {
            count++;
            return wanted.places.getOrDefault(symbol, -1);
        }

        /**
         * Adds a symbol.
         *
         * @param place the symbol's index from {@link #find}
         * @param crc the symbol's CRC; null or 0 if it has none
         * @param published true if a kernel declares the symbol, false if a package requires it
         */
        void add(int place, @Nullable Integer crc, boolean published) {
            if (published) {
                wanted.published.add(wanted.names.get(place));
            }
            boolean known = crc != null && crc != 0;
            add(place, known ? KNOWN : WITHOUT_CRC, known ? crc : 0);
        }

        void addAll(SymbolCollector other) {
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
         * Returns the exports, once the packages of all kernels have been read.
         *
         * @param ofVmlinux the number of symbols that the package with the kernel itself declares
         * @param ofModules the number of symbols for each package that contains only modules
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
