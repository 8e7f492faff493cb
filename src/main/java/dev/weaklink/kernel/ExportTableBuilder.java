package dev.weaklink.kernel;

import dev.weaklink.module.SymbolNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

public final class ExportTableBuilder {
    private static final int NONE = -1;

    private final SymbolNames.SymbolNamesBuilder names;
    private int[] crcs;
    private byte[] flags;
    private int[] ownerOf;
    private int[] namespaceOf;
    private int count;
    private final Map<String, Integer> owners = new HashMap<>();
    private final List<String> ownerList = new ArrayList<>();
    private final Map<String, Integer> namespaces = new HashMap<>();
    private final List<String> namespaceList = new ArrayList<>();

    public ExportTableBuilder(int expected) {
        names = new SymbolNames.SymbolNamesBuilder(expected);
        crcs = new int[Math.max(expected, 16)];
        flags = new byte[crcs.length];
        ownerOf = new int[crcs.length];
        namespaceOf = new int[crcs.length];
    }

    public int owner(String owner) {
        return number(owner, owners, ownerList);
    }

    public int namespace(@Nullable String namespace) {
        return namespace == null ? NONE : number(namespace, namespaces, namespaceList);
    }

    private static int number(String text, Map<String, Integer> numbers, List<String> list) {
        Integer known = numbers.get(text);
        if (known != null) {
            return known;
        }
        numbers.put(text, list.size());
        list.add(text);
        return list.size() - 1;
    }

    /**
     * Adds a row whose namespace is known.
     *
     * @param gplOnly whether the symbol is GPL-only, null if unknown
     * @param crc the symbol's CRC, null if it has none
     * @param owner the index that {@link #owner} returned for the exporter
     * @param namespace the index that {@link #namespace} returned
     */
    public void add(
            byte[] source,
            int offset,
            int length,
            @Nullable Integer crc,
            @Nullable Boolean gplOnly,
            int owner,
            int namespace) {
        int license = gplOnly == null ? ExportTable.GPL_UNKNOWN : gplOnly ? ExportTable.GPL_ONLY : 0;
        int rowFlags = license | (crc == null ? 0 : ExportTable.HAS_CRC);
        add(source, offset, length, crc == null ? 0 : crc, rowFlags, owner, namespace);
    }

    /** Adds a row whose license and namespace are unknown; {@code crc} is null if the row has no CRC. */
    public void addUnknown(byte[] name, @Nullable Integer crc, int owner) {
        int unknown = ExportTable.GPL_UNKNOWN | ExportTable.NAMESPACE_UNKNOWN;
        int rowFlags = unknown | (crc == null ? 0 : ExportTable.HAS_CRC);
        add(name, 0, name.length, crc == null ? 0 : crc, rowFlags, owner, NONE);
    }

    void add(byte[] source, int offset, int length, int crc, int rowFlags, int owner, int namespace) {
        if (count == crcs.length) {
            int room = count * 2;
            crcs = Arrays.copyOf(crcs, room);
            flags = Arrays.copyOf(flags, room);
            ownerOf = Arrays.copyOf(ownerOf, room);
            namespaceOf = Arrays.copyOf(namespaceOf, room);
        }
        names.add(source, offset, length);
        crcs[count] = crc;
        flags[count] = (byte) rowFlags;
        ownerOf[count] = owner;
        namespaceOf[count] = namespace;
        count++;
    }

    public void addAll(ExportTable table) {
        for (int row = 0; row < table.size(); row++) {
            add(table, row);
        }
    }

    public void add(ExportTable table, int row) {
        add(table, row, table.crc(row));
    }

    void add(ExportTable table, int row, int crc) {
        SymbolNames symbols = table.names();
        add(
                symbols.bytes(),
                symbols.offset(row),
                symbols.length(row),
                crc,
                table.flags(row),
                owner(table.owner(row)),
                namespace(table.namespace(row)));
    }

    public ExportTable build() {
        int[] owner = Arrays.copyOf(ownerOf, count);
        return new ExportTable(
                new ExportTable.RowIndex(names.build(), owner),
                null,
                Arrays.copyOf(crcs, count),
                Arrays.copyOf(flags, count),
                owner,
                Arrays.copyOf(namespaceOf, count),
                ExportTable.Exporters.of(List.copyOf(ownerList)),
                List.copyOf(namespaceList));
    }
}
