package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.module.VersionTable.Layout;
import dev.weaklink.sys.Numbers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of a symbol's two CRCs (kernel/module/version.c:check_version): the CRC in the module's version table,
 * and the exporter's CRC.
 */
final class VersionCheck {
    private static final SymbolNames MODULE_LAYOUT =
            new SymbolNames.SymbolNamesBuilder(1).add("module_layout").build();

    private static final String UNKNOWN_SYMBOL_EINVAL = " (err -22)";

    enum CrcMatch {
        EQUAL,
        ACCEPTED_BLINDLY,
        REFUSED
    }

    private final VersionLookup lookup = new VersionLookup();
    private final CrcTexts texts = new CrcTexts();
    private @Nullable String disagreement;
    private @Nullable VersionTable table;
    private boolean extended;

    void reset(VerdictBuilder j) {
        VersionTable ext = j.module().extendedVersions();
        extended = ext != null && j.rules().is(LoaderRule.EXTENDED_VERSIONS, "yes");
        table = extended ? ext : asRead(j);
        disagreement = null;
        if (table != null) {
            lookup.reset(table);
        }
    }

    /**
     * Returns the version table as the target's loader would parse it. If the table has another layout than the loader
     * expects, the loader misreads it.
     */
    private static @Nullable VersionTable asRead(VerdictBuilder j) {
        VersionTable table = j.module().versions();
        ElfIdentity elf = j.module().elf();
        if (table == null || elf == null) {
            return table;
        }
        boolean packed = j.rules().is(LoaderRule.VERSIONS_LAYOUT, "packed");
        return packed == (table.layout() == Layout.PACKED) ? table : MisreadVersions.of(table, elf);
    }

    /**
     * Compares the two CRCs of one symbol.
     *
     * @param row the symbol's row in the target's export table; -1 if the table does not contain the symbol
     * @param crc the exporter's CRC
     * @param layout true for module_layout: a refusal then has the errno ENOEXEC and no message "Unknown symbol"
     */
    CrcMatch check(
            VerdictBuilder j, SymbolNames symbols, int index, int row, int crc, String exporter, boolean layout) {
        VersionTable versions = table;
        if (versions == null) {
            return withoutTable(j, symbols, index, layout);
        }
        int entry = lookup.find(symbols, index);
        if (entry < 0) {
            return missing(j, symbols.name(index), crc, exporter, layout);
        }
        long wanted = versions.crcs()[entry];
        if (wanted == (crc & 0xffffffffL)) {
            return CrcMatch.EQUAL;
        }
        String symbol = row >= 0 ? j.target().exports().symbol(row) : symbols.name(index);
        refuse(
                j,
                layout ? FindingKind.LAYOUT_CRC_MISMATCH : FindingKind.SYMBOL_CRC_MISMATCH,
                symbol,
                texts.hex(wanted),
                texts.hex(crc & 0xffffffffL),
                exporter,
                disagreement(j).concat(symbol));
        return CrcMatch.REFUSED;
    }

    private String disagreement(VerdictBuilder j) {
        if (disagreement == null) {
            disagreement = j.infoName() + ": disagrees about version of symbol ";
        }
        return disagreement;
    }

    private static CrcMatch withoutTable(VerdictBuilder j, SymbolNames symbols, int index, boolean layout) {
        if (j.rule(LoaderRule.FORCE_LOAD, "yes")) {
            return CrcMatch.ACCEPTED_BLINDLY;
        }
        String symbol = symbols.name(index);
        FindingKind kind = layout ? FindingKind.LAYOUT_NO_TABLE : FindingKind.SYMBOL_NO_TABLE;
        j.add(kind, Effect.REFUSES, kind.errno(), symbol, layout ? null : unknown(j, symbol), kind.meaning());
        return CrcMatch.REFUSED;
    }

    private CrcMatch missing(VerdictBuilder j, String symbol, int crc, String exporter, boolean layout) {
        if (extended || j.rule(LoaderRule.MISSING_VERSION, "accept")) {
            j.note(
                    FindingKind.SYMBOL_NO_VERSION,
                    symbol,
                    j.infoName()
                            + (extended ? ": no extended symbol version for " : ": no symbol version for ")
                            + symbol,
                    "no entry in the module's version table; the loader warns once and accepts the symbol");
            return CrcMatch.ACCEPTED_BLINDLY;
        }
        refuse(
                j,
                layout ? FindingKind.LAYOUT_NO_VERSION : FindingKind.SYMBOL_NO_VERSION,
                symbol,
                null,
                Numbers.crc(crc),
                exporter,
                j.infoName() + ": no symbol version for " + symbol);
        return CrcMatch.REFUSED;
    }

    /**
     * Compares the CRC of module_layout, which depends on the definition of struct module (check_modstruct_version).
     * The loader compares this CRC before all others.
     */
    void layout(VerdictBuilder j) {
        if (!j.rules().is(LoaderRule.MODVERSIONS, "yes")) {
            // For a module with imports, SymbolStep reports that no CRCs are compared.
            if (j.module().imports().names().size() == 0 && !j.target().isOwn(j.module())) {
                j.unproven(
                        FindingKind.LAYOUT_NOT_COMPARED,
                        null,
                        "the kernel compares no CRCs: nothing proves that struct module is the same");
            }
            return;
        }
        ExportTable exports = j.target().exports();
        int row = exports.find(MODULE_LAYOUT, 0);
        if (row < 0 || !exports.hasCrc(row)) {
            j.uncheck(Layer.MODULE_LAYOUT);
            return;
        }
        CrcMatch result = check(j, MODULE_LAYOUT, 0, row, exports.crc(row), exports.owner(row), true);
        if (result == CrcMatch.ACCEPTED_BLINDLY) {
            j.unproven(
                    FindingKind.LAYOUT_NOT_COMPARED,
                    "module_layout",
                    "the loader would accept the module without comparing this CRC: nothing proves that struct"
                            + " module is the same");
        }
    }

    private static void refuse(
            VerdictBuilder j,
            FindingKind kind,
            String symbol,
            @Nullable String wants,
            String offers,
            String exporter,
            String line) {
        j.add(new Finding(kind, Effect.REFUSES, kind.errno(), symbol, wants, offers, exporter, line, kind.meaning()));
    }

    static String unknown(VerdictBuilder j, String symbol) {
        return j.module().name() + ": Unknown symbol " + symbol + UNKNOWN_SYMBOL_EINVAL;
    }

    /**
     * A cache of CRCs formatted as text, because the CRC of one changed export appears in hundreds of modules'
     * findings. Not thread-safe.
     */
    private static final class CrcTexts {
        private static final int SIZE = 1 << 8;

        private final long[] crcs = new long[SIZE];
        private final @Nullable String[] texts = new String[SIZE];

        String hex(long crc) {
            int at = (int) (crc ^ crc >>> Integer.SIZE) & SIZE - 1;
            String known = texts[at];
            if (known == null || crcs[at] != crc) {
                known = Numbers.crc(crc);
                crcs[at] = crc;
                texts[at] = known;
            }
            return known;
        }
    }

    /**
     * Emulates a loader that expects another layout of {@code __versions} than the module has
     * (kernel/module/version.c:check_version, upstream's and Ubuntu's of 6.2 to 6.8). Such a loader reads names and
     * CRCs at wrong offsets.
     */
    private static final class MisreadVersions {
        private static final int RECORD = 64;
        private static final int PACKED_HEADER = 8;
        private static final int ALIGNMENT = 4;

        private MisreadVersions() {}

        static VersionTable of(VersionTable table, ElfIdentity elf) {
            return table.layout() == Layout.PACKED
                    ? asClassic(packedBytes(table, elf), elf)
                    : asPacked(classicBytes(table, elf), table.names().size());
        }

        private static ByteBuffer packedBytes(VersionTable table, ElfIdentity elf) {
            SymbolNames names = table.names();
            int size = PACKED_HEADER;
            for (int i = 0; i < names.size(); i++) {
                size += packedSize(names.length(i));
            }
            ByteBuffer bytes = allocate(size, elf);
            for (int i = 0; i < names.size(); i++) {
                int record = bytes.position();
                int next = packedSize(names.length(i));
                bytes.putInt(next).putInt((int) table.crcs()[i]);
                bytes.put(names.bytes(), names.offset(i), names.length(i)).position(record + next);
            }
            return bytes;
        }

        private static int packedSize(int nameLength) {
            return PACKED_HEADER + (nameLength + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
        }

        private static ByteBuffer classicBytes(VersionTable table, ElfIdentity elf) {
            SymbolNames names = table.names();
            ByteBuffer bytes = allocate(names.size() * RECORD, elf);
            for (int i = 0; i < names.size(); i++) {
                bytes.position(i * RECORD);
                putWord(bytes, table.crcs()[i], elf);
                bytes.put(names.bytes(), names.offset(i), names.length(i));
            }
            return bytes;
        }

        private static VersionTable asClassic(ByteBuffer bytes, ElfIdentity elf) {
            int count = bytes.capacity() / RECORD;
            SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(count);
            long[] crcs = new long[count];
            for (int i = 0; i < count; i++) {
                int record = i * RECORD;
                crcs[i] = elf.is64() ? bytes.getLong(record) : bytes.getInt(record) & 0xffffffffL;
                addName(names, bytes, record + elf.wordSize(), record + RECORD);
            }
            return new VersionTable(Layout.CLASSIC, names.build(), crcs);
        }

        /**
         * Parses classic records as packed records. The loader uses the CRC at the start of a record as the distance to
         * the next record. That record is mostly beyond the end of the section.
         */
        private static VersionTable asPacked(ByteBuffer bytes, int most) {
            SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(1);
            long[] crcs = new long[most];
            long at = 0;
            while (names.size() < most && at + PACKED_HEADER <= bytes.capacity()) {
                int record = (int) at;
                long next = bytes.getInt(record) & 0xffffffffL;
                if (next == 0) {
                    break;
                }
                crcs[names.size()] = bytes.getInt(record + Integer.BYTES) & 0xffffffffL;
                int limit = Math.min(record + RECORD, bytes.capacity());
                addName(names, bytes, record + PACKED_HEADER, limit);
                at += next;
            }
            return new VersionTable(Layout.PACKED, names.build(), Arrays.copyOf(crcs, names.size()));
        }

        private static void addName(SymbolNames.SymbolNamesBuilder names, ByteBuffer bytes, int start, int limit) {
            int end = start;
            while (end < limit && bytes.get(end) != 0) {
                end++;
            }
            names.add(bytes.array(), start, end - start);
        }

        private static void putWord(ByteBuffer bytes, long value, ElfIdentity elf) {
            if (elf.is64()) {
                bytes.putLong(value);
            } else {
                bytes.putInt((int) value);
            }
        }

        private static ByteBuffer allocate(int size, ElfIdentity elf) {
            return ByteBuffer.allocate(size).order(elf.littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        }
    }

    /**
     * Finds a symbol's entry in a module's version table. If a name has several entries, the first counts, as in the
     * kernel's linear search. {@link #reset} changes to another table.
     */
    static final class VersionLookup {
        private static final int NOT_FOUND = -1;

        private SymbolNames names = SymbolNames.NONE;
        private int[] slots = new int[256];
        private int mask;
        private @Nullable SymbolNames pool;
        private int[] entryOf = new int[0];
        private int[] tableOf = new int[0];
        private int table;

        void reset(VersionTable table) {
            names = table.names();
            if (names.pool() != null) {
                resetTo(names.pool());
                return;
            }
            pool = null;
            int room = Integer.highestOneBit(Math.max(names.size(), 1) * 2) * 2;
            if (slots.length < room) {
                slots = new int[room];
            } else {
                Arrays.fill(slots, 0, room, 0);
            }
            mask = room - 1;
            for (int i = 0; i < names.size(); i++) {
                insert(i);
            }
        }

        /** Prepares lookups by the index in the pool, which need no comparison of names. */
        private void resetTo(SymbolNames newPool) {
            if (pool != newPool) {
                pool = newPool;
                entryOf = new int[newPool.size()];
                tableOf = new int[newPool.size()];
                table = 0;
            }
            table++;
            for (int i = 0; i < names.size(); i++) {
                int at = names.poolIndex(i);
                if (tableOf[at] != table) {
                    tableOf[at] = table;
                    entryOf[at] = i;
                }
            }
        }

        private void insert(int index) {
            int slot = names.slot(index, mask);
            while (slots[slot] != 0) {
                if (names.same(slots[slot] - 1, names, index)) {
                    return;
                }
                slot = (slot + 1) & mask;
            }
            slots[slot] = index + 1;
        }

        int find(SymbolNames symbols, int index) {
            if (pool != null) {
                return symbols.pool() == pool ? findInPool(symbols.poolIndex(index)) : scan(symbols, index);
            }
            int slot = symbols.slot(index, mask);
            while (slots[slot] != 0) {
                int entry = slots[slot] - 1;
                if (names.same(entry, symbols, index)) {
                    return entry;
                }
                slot = (slot + 1) & mask;
            }
            return NOT_FOUND;
        }

        private int findInPool(int at) {
            return tableOf[at] == table ? entryOf[at] : NOT_FOUND;
        }

        private int scan(SymbolNames symbols, int index) {
            for (int i = 0; i < names.size(); i++) {
                if (names.same(i, symbols, index)) {
                    return i;
                }
            }
            return NOT_FOUND;
        }
    }
}
