package dev.weaklink.kernel;

import dev.weaklink.module.SymbolNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The exported symbols of a kernel with their CRCs. The table looks up names without building a {@code String}: it uses
 * open addressing over the hashes of {@link SymbolNames}. Rows keep their order. If several rows have the same name, a
 * search finds the first, as the kernel's search does.
 */
public final class ExportTable {
    public static final ExportTable EMPTY =
            new ExportTable(SymbolNames.NONE, new int[0], new byte[0], new int[0], new int[0], List.of(), List.of());

    static final int GPL_ONLY = 1;
    static final int GPL_UNKNOWN = 2;
    static final int HAS_CRC = 4;
    static final int NAMESPACE_UNKNOWN = 8;

    private static final int NOT_FOUND = -1;

    private final SymbolNames names;
    private final int[] crcs;
    private final byte[] flags;
    private final int[] ownerOf;
    private final int[] namespaceOf;
    private final List<String> owners;
    private final List<String> namespaces;
    private final int vmlinux;
    private final int[] slots;
    private boolean repeating;
    private @Nullable String @Nullable [] texts;

    /**
     * Creates a table that uses the arrays without copying them. Each array has one element for each row.
     *
     * @param ownerOf for each row, the index of its exporter in {@code owners}
     * @param namespaceOf for each row, the index of its namespace in {@code namespaces}; -1 if the row has none
     */
    ExportTable(
            SymbolNames names,
            int[] crcs,
            byte[] flags,
            int[] ownerOf,
            int[] namespaceOf,
            List<String> owners,
            List<String> namespaces) {
        this(names, crcs, flags, ownerOf, namespaceOf, owners, namespaces, 0);
    }

    private ExportTable(
            SymbolNames names,
            int[] crcs,
            byte[] flags,
            int[] ownerOf,
            int[] namespaceOf,
            List<String> owners,
            List<String> namespaces,
            int distinct) {
        this(
                names,
                crcs,
                flags,
                ownerOf,
                namespaceOf,
                owners,
                namespaces,
                new int[Integer.highestOneBit(Math.max(names.size(), 1) * 2) * 2],
                false);
        this.repeating = !index(names, slots, distinct);
    }

    private ExportTable(
            SymbolNames names,
            int[] crcs,
            byte[] flags,
            int[] ownerOf,
            int[] namespaceOf,
            List<String> owners,
            List<String> namespaces,
            int[] slots,
            boolean repeating) {
        this.names = names;
        this.crcs = crcs;
        this.flags = flags;
        this.ownerOf = ownerOf;
        this.namespaceOf = namespaceOf;
        this.owners = owners;
        this.namespaces = namespaces;
        this.vmlinux = owners.indexOf(Symvers.VMLINUX);
        this.slots = slots;
        this.repeating = repeating;
    }

    /** Fills the slots of the hash table; returns false if a name occurs more than once. */
    private static boolean index(SymbolNames names, int[] slots, int distinct) {
        boolean once = true;
        int mask = slots.length - 1;
        for (int i = 0; i < names.size(); i++) {
            int slot = names.slot(i, mask);
            while (slots[slot] != 0 && (i < distinct || !names.same(i, names, slots[slot] - 1))) {
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

    public int find(SymbolNames wanted, int index) {
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
        return names.same(row, other.names, otherRow)
                && flags[row] == other.flags[otherRow]
                && owner(row).equals(other.owner(otherRow))
                && Objects.equals(namespace(row), other.namespace(otherRow));
    }

    public ExportTable with(int[] others, BitSet gone, ExportTable more) {
        if (gone.isEmpty() && more.size() == 0) {
            return new ExportTable(names, others, flags, ownerOf, namespaceOf, owners, namespaces, slots, repeating);
        }
        int most = size() + more.size();
        SymbolNames.SymbolNamesBuilder symbols = new SymbolNames.SymbolNamesBuilder(most);
        int[] columns = new int[3 * most];
        byte[] kinds = new byte[most];
        int count = 0;
        int end = 0;
        for (int row = gone.nextClearBit(0); row < size(); row = gone.nextClearBit(end)) {
            end = gone.nextSetBit(row);
            end = end < 0 ? size() : Math.min(end, size());
            int length = end - row;
            symbols.addAll(names, row, end);
            System.arraycopy(others, row, columns, count, length);
            System.arraycopy(ownerOf, row, columns, most + count, length);
            System.arraycopy(namespaceOf, row, columns, 2 * most + count, length);
            System.arraycopy(flags, row, kinds, count, length);
            count += length;
        }
        int distinct = repeating ? 0 : count;
        List<String> allOwners = new ArrayList<>(owners);
        List<String> allNamespaces = new ArrayList<>(namespaces);
        for (int row = 0; row < more.size(); row++) {
            symbols.add(more.names, row);
            columns[count] = more.crcs[row];
            columns[most + count] = index(more.owner(row), allOwners);
            columns[2 * most + count] = index(more.namespace(row), allNamespaces);
            kinds[count++] = more.flags[row];
        }
        return new ExportTable(
                symbols.build(),
                Arrays.copyOf(columns, count),
                Arrays.copyOf(kinds, count),
                Arrays.copyOfRange(columns, most, most + count),
                Arrays.copyOfRange(columns, 2 * most, 2 * most + count),
                allOwners,
                allNamespaces,
                distinct);
    }

    /** Returns the index of a string in the list; adds the string if it is missing. Returns -1 for null. */
    private static int index(@Nullable String text, List<String> texts) {
        int known = text == null ? NOT_FOUND : texts.indexOf(text);
        if (text != null && known < 0) {
            texts.add(text);
            return texts.size() - 1;
        }
        return known;
    }

    /**
     * Returns bits that show whether a row has a CRC, whether it is GPL-only, and whether its license and its namespace
     * are known. The bits have the same meaning in every table.
     */
    public int flags(int row) {
        return flags[row];
    }

    public int size() {
        return names.size();
    }

    public SymbolNames names() {
        return names;
    }

    public String symbol(int row) {
        @Nullable String[] known = texts;
        if (known == null) {
            known = new String[size()];
            texts = known;
        }
        String text = known[row];
        if (text == null) {
            text = names.name(row);
            known[row] = text;
        }
        return text;
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
        return owners.get(ownerOf[row]);
    }

    public boolean isVmlinux(int row) {
        return ownerOf[row] == vmlinux;
    }

    public List<String> owners() {
        return owners;
    }
}
