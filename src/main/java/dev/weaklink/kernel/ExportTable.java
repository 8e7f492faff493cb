package dev.weaklink.kernel;

import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The exported symbols of a kernel with their CRCs. Rows keep their order. If several rows have the same name, a search
 * finds the first, as the kernel's search does.
 */
public final class ExportTable {
    public static final ExportTable EMPTY = new ExportTable(
            new RowIndex(SymbolNames.NONE, new int[0]),
            null,
            new int[0],
            new byte[0],
            new int[0],
            new int[0],
            Exporters.NONE,
            List.of());

    static final int GPL_ONLY = 1;
    static final int GPL_UNKNOWN = 2;
    static final int HAS_CRC = 4;
    static final int NAMESPACE_UNKNOWN = 8;

    private static final int NOT_FOUND = -1;

    private final RowIndex index;
    private final @Nullable RowMapping mapping;
    private final int[] crcs;
    private final byte[] flags;
    private final int[] ownerOf;
    private final int[] namespaceOf;
    private final Exporters owners;
    private final List<String> namespaces;
    private final int vmlinux;
    private @Nullable SymbolNames names;

    /**
     * Creates a table that uses the arrays without copying them. Each array has one element for each row.
     *
     * @param mapping the rows of the table by those of the index; null if both have the same rows
     * @param ownerOf for each row, the index of its exporter in {@code owners}
     * @param namespaceOf for each row, the index of its namespace in {@code namespaces}; -1 if the row has none
     */
    ExportTable(
            RowIndex index,
            @Nullable RowMapping mapping,
            int[] crcs,
            byte[] flags,
            int[] ownerOf,
            int[] namespaceOf,
            Exporters owners,
            List<String> namespaces) {
        this.index = index;
        this.mapping = mapping;
        this.crcs = crcs;
        this.flags = flags;
        this.ownerOf = ownerOf;
        this.namespaceOf = namespaceOf;
        this.owners = owners;
        this.namespaces = namespaces;
        this.vmlinux = owners.vmlinux();
    }

    /**
     * The difference between an index and a table that lacks some of its symbols and has others after them.
     *
     * @param kept the rows of the index that are also rows of the table, in order
     * @param rowOf for each row of the index, the row of the table; -1 if the table lacks the symbol
     * @param more the rows of the table after the kept ones
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record RowMapping(int[] kept, int[] rowOf, ExportTable more) {
        int row(int indexRow, SymbolNames wanted, int index) {
            int row = indexRow < 0 ? NOT_FOUND : rowOf[indexRow];
            if (row < 0) {
                int other = more.find(wanted, index);
                row = other < 0 ? NOT_FOUND : kept.length + other;
            }
            return row;
        }

        SymbolNames names(SymbolNames all) {
            SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(kept.length + more.size());
            for (int row : kept) {
                names.add(all, row);
            }
            for (int row = 0; row < more.size(); row++) {
                names.add(more.names(), row);
            }
            return names.build();
        }
    }

    public int find(SymbolNames wanted, int at) {
        int row = index.find(wanted, at);
        return mapping == null ? row : mapping.row(row, wanted, at);
    }

    /** Returns the row of each symbol, -1 for a symbol without a row. The caller must not change the array. */
    public int[] find(SymbolNames wanted) {
        int[] found = index.find(wanted);
        if (mapping == null) {
            return found;
        }
        int[] rows = new int[found.length];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = mapping.row(found[i], wanted, i);
        }
        return rows;
    }

    public int find(String symbol) {
        return find(new SymbolNames.SymbolNamesBuilder(1).add(symbol).build(), 0);
    }

    /**
     * Returns a table with the rows of this table followed by the rows of another. If both tables contain a symbol, a
     * search finds this table's row.
     */
    public ExportTable followedBy(ExportTable other) {
        ExportTableBuilder both = new ExportTableBuilder(size() + other.size());
        both.addAll(this);
        both.addAll(other);
        return both.build();
    }

    public boolean isSameButCrc(int row, ExportTable other, int otherRow) {
        return names().same(row, other.names(), otherRow)
                && flags[row] == other.flags[otherRow]
                && owner(row).equals(other.owner(otherRow))
                && Objects.equals(namespace(row), other.namespace(otherRow));
    }

    /**
     * Returns a table with other CRCs.
     *
     * @param others the CRC of each row of this table
     * @param gone the rows that the new table lacks
     * @param more the rows after those of this table
     */
    public ExportTable with(int[] others, BitSet gone, ExportTable more) {
        if (gone.isEmpty() && more.size() == 0) {
            return new ExportTable(index, mapping, others, flags, ownerOf, namespaceOf, owners, namespaces);
        }
        if (mapping != null || index.repeating()) {
            return rebuilt(others, gone, more);
        }
        int[] rowOf = new int[size()];
        int[] kept = new int[size() - gone.cardinality()];
        int most = kept.length + more.size();
        int[] newCrcs = new int[most];
        int[] newOwners = new int[most];
        int[] newNamespaces = new int[most];
        byte[] newFlags = new byte[most];
        Arrays.fill(rowOf, NOT_FOUND);
        int count = 0;
        int end = 0;
        for (int row = gone.nextClearBit(0); row < size(); row = gone.nextClearBit(end)) {
            end = gone.nextSetBit(row);
            end = end < 0 ? size() : Math.min(end, size());
            int length = end - row;
            System.arraycopy(others, row, newCrcs, count, length);
            System.arraycopy(ownerOf, row, newOwners, count, length);
            System.arraycopy(namespaceOf, row, newNamespaces, count, length);
            System.arraycopy(flags, row, newFlags, count, length);
            for (int i = row; i < end; i++) {
                rowOf[i] = count;
                kept[count++] = i;
            }
        }
        Exporters allOwners = owners.and(more.owners);
        int[] ownerIn = new int[more.owners.paths().size()];
        for (int i = 0; i < ownerIn.length; i++) {
            ownerIn[i] = allOwners.find(more.owners.paths().get(i));
        }
        List<String> allNamespaces = new ArrayList<>(namespaces);
        int[] namespaceIn = new int[more.namespaces.size()];
        for (int i = 0; i < namespaceIn.length; i++) {
            namespaceIn[i] = index(more.namespaces.get(i), allNamespaces);
        }
        for (int row = 0; row < more.size(); row++) {
            newCrcs[count] = more.crcs[row];
            newOwners[count] = ownerIn[more.ownerOf[row]];
            int namespace = more.namespaceOf[row];
            newNamespaces[count] = namespace < 0 ? NOT_FOUND : namespaceIn[namespace];
            newFlags[count++] = more.flags[row];
        }
        RowMapping all = new RowMapping(kept, rowOf, more);
        return new ExportTable(index, all, newCrcs, newFlags, newOwners, newNamespaces, allOwners, allNamespaces);
    }

    private ExportTable rebuilt(int[] others, BitSet gone, ExportTable more) {
        ExportTableBuilder all = new ExportTableBuilder(size() + more.size());
        owners.paths().forEach(all::owner);
        namespaces.forEach(all::namespace);
        for (int row = gone.nextClearBit(0); row < size(); row = gone.nextClearBit(row + 1)) {
            all.add(this, row, others[row]);
        }
        all.addAll(more);
        return all.build();
    }

    /** Returns the index of a string in the list; adds the string if it is missing. */
    private static int index(String text, List<String> texts) {
        if (!texts.contains(text)) {
            texts.add(text);
        }
        return texts.indexOf(text);
    }

    /**
     * Returns bits that show whether a row has a CRC, whether it is GPL-only, and whether its license and its namespace
     * are known. The bits have the same meaning in every table.
     */
    public int flags(int row) {
        return flags[row];
    }

    public int size() {
        return crcs.length;
    }

    public SymbolNames names() {
        SymbolNames known = names;
        if (known == null) {
            known = mapping == null ? index.names() : mapping.names(index.names());
            names = known;
        }
        return known;
    }

    public String symbol(int row) {
        if (mapping == null) {
            return index.text(row);
        }
        int kept = mapping.kept().length;
        return row < kept ? index.text(mapping.kept()[row]) : mapping.more().symbol(row - kept);
    }

    /** Returns the CRC of a row, which has no meaning if {@link #hasCrc} is false. */
    public int crc(int row) {
        return crcs[row];
    }

    public boolean hasCrc(int row) {
        return (flags[row] & HAS_CRC) != 0;
    }

    public boolean isGplOnly(int row) {
        return (flags[row] & GPL_ONLY) != 0;
    }

    public boolean isLicenseKnown(int row) {
        return (flags[row] & GPL_UNKNOWN) == 0;
    }

    public boolean isNamespaceKnown(int row) {
        return (flags[row] & NAMESPACE_UNKNOWN) == 0;
    }

    public @Nullable String namespace(int row) {
        return namespaceOf[row] < 0 ? null : namespaces.get(namespaceOf[row]);
    }

    /**
     * Returns the exporter of a row: {@code vmlinux}, or a module's path as written in the file from which the table
     * was read.
     */
    public String owner(int row) {
        return owners.paths().get(ownerOf[row]);
    }

    /** Returns a number for the module of this name, see {@link #rowsOf}; -1 if it exports no symbols. */
    public int exporterOf(String module) {
        return owners.findModule(module);
    }

    /** Returns the rows of an exporter, in order. */
    public int[] rowsOf(int exporter) {
        int[] known = index.rowsOf(exporter);
        if (mapping == null) {
            return known;
        }
        int[] rows = new int[known.length + mapping.more().size()];
        int count = 0;
        for (int row : known) {
            if (mapping.rowOf()[row] >= 0) {
                rows[count++] = mapping.rowOf()[row];
            }
        }
        for (int row = mapping.kept().length; row < ownerOf.length; row++) {
            if (ownerOf[row] == exporter) {
                rows[count++] = row;
            }
        }
        return Arrays.copyOf(rows, count);
    }

    public boolean isVmlinux(int row) {
        return ownerOf[row] == vmlinux;
    }

    public boolean hasModuleRows() {
        return owners.paths().size() > (vmlinux < 0 ? 0 : 1);
    }

    /** Returns the number of rows of vmlinux. */
    public int ofVmlinux() {
        int count = 0;
        for (int owner : ownerOf) {
            count += owner == vmlinux ? 1 : 0;
        }
        return count;
    }

    /**
     * The index of the rows of an {@link ExportTable} by symbol and by exporter. Symbols are in a hash table with open
     * addressing over the hashes of {@link SymbolNames}, so that a search builds no {@code String}. If a symbol occurs
     * more than once, a search finds the first. Kernels that share exports share one index, so that the symbols of a
     * module are looked up once for all of them.
     */
    static final class RowIndex {
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
         * Returns the places of each exporter's first row in this array, followed by the rows in the order of
         * exporters.
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

    /**
     * The exporters of the rows of an {@link ExportTable}: vmlinux, and modules by their paths. Kernels that share
     * exports share one instance, or the beginning of one, so that the paths are indexed once for all of them.
     */
    static final class Exporters {
        static final Exporters NONE = new Exporters(null, List.of());

        private final @Nullable Exporters beginning;
        private final List<String> paths;
        private final int vmlinux;
        private volatile @Nullable Map<String, Integer> byPath;
        private volatile @Nullable Map<String, Integer> byModule;

        private Exporters(@Nullable Exporters beginning, List<String> paths) {
            this.beginning = beginning;
            this.paths = Collections.unmodifiableList(paths);
            this.vmlinux = paths.indexOf(Symvers.VMLINUX);
        }

        static Exporters of(List<String> paths) {
            return new Exporters(null, paths);
        }

        List<String> paths() {
            return paths;
        }

        /** Returns the index of vmlinux, -1 if it exports nothing. */
        int vmlinux() {
            return vmlinux;
        }

        /** Returns these exporters, followed by those of the other list that are missing here. */
        Exporters and(Exporters others) {
            List<String> all = paths;
            for (String path : others.paths) {
                if (find(path) < 0) {
                    all = all == paths ? new ArrayList<>(paths) : all;
                    all.add(path);
                }
            }
            return all == paths ? this : new Exporters(this, all);
        }

        int find(String path) {
            Map<String, Integer> known = byPath;
            if (known == null) {
                known = new HashMap<>();
                for (int i = start(); i < paths.size(); i++) {
                    known.putIfAbsent(paths.get(i), i);
                }
                byPath = known;
            }
            int before = beginning == null ? NOT_FOUND : beginning.find(path);
            return before >= 0 ? before : known.getOrDefault(path, NOT_FOUND);
        }

        /** Returns the index of the last exporter that is a module of this name; -1 if there is none. */
        int findModule(String name) {
            Map<String, Integer> known = byModule;
            if (known == null) {
                known = new HashMap<>();
                for (int i = start(); i < paths.size(); i++) {
                    if (!paths.get(i).equals(Symvers.VMLINUX)) {
                        known.put(Origin.moduleName(paths.get(i)), i);
                    }
                }
                byModule = known;
            }
            Integer last = known.get(name);
            return last != null ? last : beginning == null ? NOT_FOUND : beginning.findModule(name);
        }

        private int start() {
            return beginning == null ? 0 : beginning.paths.size();
        }
    }
}
