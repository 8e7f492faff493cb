package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weaklink.fleet.intake.JsonScalars.StringPool;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.Sha256;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The symbol tables of all modules by the digests of their files. If nodes report different tables for one file, no
 * table is used for that file. Equal tables are stored once, and so is each symbol name.
 */
public final class ModuleTables {
    /** The maximum number of symbols in all tables, enough for 100,000 modules of usual size. */
    private static final int MAX_ENTRIES = 16 << 20;

    private static final long[] NONE = new long[0];

    private final Map<String, TableKey> byFile = new HashMap<>();
    private final Set<String> disputed = new HashSet<>();
    private final Map<TableKey, Picked> distinct = new HashMap<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final List<String> inOrder = new ArrayList<>();
    private final SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(0);
    private @Nullable SymbolNames pool;
    private int entries;
    private final StringPool strings = new StringPool();

    /** The digests of a table's versions and exports, null for a missing part. */
    private record TableKey(
            @Nullable String versions, @Nullable String exports) {
        static TableKey of(@Nullable TableEntries versions, @Nullable TableEntries exports) {
            return new TableKey(versions == null ? null : versions.digest(), exports == null ? null : exports.sorted());
        }

        /** Returns whether both tables have versions, and versions or exports differ. Missing exports do not count. */
        boolean contradicts(TableKey other) {
            boolean exportsDiffer = exports != null && other.exports != null && !exports.equals(other.exports);
            return versions != null && other.versions != null && (!versions.equals(other.versions) || exportsDiffer);
        }

        /** Returns whether this table has a part that the other table lacks. A table without versions is of no use. */
        boolean completes(TableKey other) {
            return versions != null && (other.versions == null || exports != null && other.exports == null);
        }
    }

    private static final class Picked {
        private final @Nullable PooledEntries versions;
        private final @Nullable PooledEntries exports;
        private @Nullable ReportedTable table;

        Picked(@Nullable PooledEntries versions, @Nullable PooledEntries exports) {
            this.versions = versions;
            this.exports = exports;
        }

        ReportedTable table(SymbolNames pool) {
            if (table == null) {
                table = new ReportedTable(
                        versions == null ? null : pool.pick(versions.names()),
                        versions == null ? NONE : versions.crcs(),
                        exports == null ? null : pool.pick(exports.names()),
                        exports == null ? NONE : exports.crcs(),
                        versions == null ? null : versions.digest());
            }
            return table;
        }
    }

    /**
     * A part of a table, whose names are numbers in the pool.
     *
     * @param digest see {@link TableEntries}
     * @param sorted see {@link TableEntries#sorted}; null for versions
     * @param isPlain see {@link TableEntries}
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record PooledEntries(
            int[] names,
            long[] crcs,
            String digest,
            @Nullable String sorted,
            boolean isPlain) {}

    /** Returns whether nodes report different tables for the file with this digest. */
    public boolean isDisputed(@Nullable String file) {
        return file != null && disputed.contains(file);
    }

    /**
     * Returns the table of the file with this digest, or null if no node reported it or it is disputed. Equal tables
     * are one object. Call only after all input was read.
     */
    public @Nullable ReportedTable find(@Nullable String file) {
        TableKey key = file == null || disputed.contains(file) ? null : byFile.get(file);
        Picked picked = key == null ? null : distinct.get(key);
        if (picked == null) {
            return null;
        }
        if (pool == null) {
            pool = names.build();
        }
        return picked.table(pool);
    }

    StringPool pool() {
        return strings;
    }

    void read(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw malformed();
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.START_OBJECT) {
                throw malformed();
            }
            readTable(json);
        }
    }

    private void readTable(JsonParser json) throws IOException {
        String file = null;
        Picked known = null;
        TableEntries versions = null;
        TableEntries exports = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            json.nextToken();
            switch (key) {
                case "file" -> {
                    file = text(json);
                    TableKey reported = byFile.get(file);
                    known = reported == null ? null : distinct.get(reported);
                }
                case "versions" -> versions = read(json, known == null ? null : known.versions);
                case "exports" -> exports = read(json, known == null ? null : known.exports);
                default -> json.skipChildren();
            }
        }
        if (file == null) {
            throw new UnreadableException(UnreadableKind.CONTENTS, "a table has no 'file'");
        }
        add(file, versions, exports);
    }

    private TableEntries read(JsonParser json, @Nullable PooledEntries known) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw TableEntries.notAnEntry();
        }
        TableEntries read = new TableEntries(known);
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.VALUE_STRING) {
                throw TableEntries.notAnEntry();
            }
            read.add(json, inOrder);
        }
        return read.finish(inOrder);
    }

    private void add(String file, @Nullable TableEntries versions, @Nullable TableEntries exports)
            throws UnreadableException {
        TableKey key = TableKey.of(versions, exports);
        TableKey known = byFile.get(file);
        if (known != null && key.contradicts(known)) {
            disputed.add(file);
        }
        if (known != null && !key.completes(known)) {
            return;
        }
        if (pool != null) {
            throw new IllegalStateException("tables were asked for before all were read");
        }
        if (!distinct.containsKey(key)) {
            distinct.put(key, picked(versions, exports));
        }
        byFile.put(file, key);
    }

    private Picked picked(@Nullable TableEntries versions, @Nullable TableEntries exports) throws UnreadableException {
        int count = size(versions) + size(exports);
        if (count > MAX_ENTRIES - entries) {
            throw new UnreadableException(
                    UnreadableKind.CONTENTS, "the input has more symbol tables than weaklink can hold");
        }
        entries += count;
        return new Picked(
                versions == null ? null : entries(versions, null),
                exports == null ? null : entries(exports, exports.sorted()));
    }

    private PooledEntries entries(TableEntries table, @Nullable String sorted) {
        return table.repeated != null
                ? table.repeated
                : new PooledEntries(places(table), table.crcs(), table.digest(), sorted, table.isPlain);
    }

    private int[] places(TableEntries table) {
        int[] picks = new int[table.names.size()];
        for (int i = 0; i < picks.length; i++) {
            String name = table.names.get(i);
            Integer place = places.get(name);
            if (place == null) {
                place = places.size();
                places.put(name, place);
                inOrder.add(name);
                byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
                names.add(bytes, 0, bytes.length);
            }
            picks[i] = place;
        }
        return picks;
    }

    private static int size(@Nullable TableEntries table) {
        return table == null ? 0 : table.size();
    }

    private static String text(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw malformed();
        }
        return json.getText();
    }

    private static UnreadableException malformed() {
        return new UnreadableException(UnreadableKind.CONTENTS, "'tables' has the wrong type");
    }

    /**
     * The entries of a table as kmod prints them: a CRC, a blank and a name. Most nodes repeat tables that other nodes
     * reported. The entries of such a table are only compared, because digests take most of the time.
     */
    private static final class TableEntries {
        private static final String PREFIX = "0x";
        private static final int MAX_DIGITS = 16;

        /** The number of digits to which kmod pads a CRC. */
        private static final int USUAL_DIGITS = 8;

        /** The known part of a table that these entries repeat so far, null if they differ or none is known. */
        private @Nullable PooledEntries repeated;

        private int repeatedEntries;

        /** The names in order, without a leading dot, which the loader ignores on ppc64; empty while repeated. */
        private final List<String> names = new ArrayList<>();

        private long[] crcs = NONE;
        private @Nullable MessageDigest started;
        private @Nullable String digest;

        /**
         * The flag that is true if all entries are written in kmod's usual form, so that equal entries are equal text.
         */
        private boolean isPlain = true;

        TableEntries(@Nullable PooledEntries known) {
            this.repeated = known != null && known.isPlain() ? known : null;
        }

        void add(JsonParser json, List<String> pool) throws IOException {
            PooledEntries known = repeated;
            if (known != null) {
                if (isNext(known, json, pool)) {
                    repeatedEntries++;
                    return;
                }
                differ(known, pool);
            }
            add(json.getText());
        }

        /** Returns whether the entry is the next entry of the known table, in kmod's usual form. */
        private boolean isNext(PooledEntries known, JsonParser json, List<String> pool) throws IOException {
            if (repeatedEntries == known.crcs().length) {
                return false;
            }
            char[] text = json.getTextCharacters();
            int at = json.getTextOffset();
            int end = at + json.getTextLength();
            long crc = known.crcs()[repeatedEntries];
            int digits = digits(crc);
            String name = pool.get(known.names()[repeatedEntries]);
            if (end - at != PREFIX.length() + digits + 1 + name.length()
                    || text[at] != '0'
                    || text[at + 1] != 'x'
                    || text[at + 2 + digits] != ' ') {
                return false;
            }
            at += PREFIX.length();
            for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
                if (text[at++] != Character.forDigit((int) (crc >>> shift) & 15, 16)) {
                    return false;
                }
            }
            at++;
            for (int i = 0; i < name.length(); i++) {
                if (text[at + i] != name.charAt(i)) {
                    return false;
                }
            }
            return true;
        }

        private static int digits(long crc) {
            return Math.max(USUAL_DIGITS, (Long.SIZE - Long.numberOfLeadingZeros(crc) + 3) / 4);
        }

        /** Adds the entries that were only compared so far. */
        private void differ(PooledEntries known, List<String> pool) throws UnreadableException {
            repeated = null;
            for (int i = 0; i < repeatedEntries; i++) {
                String digits = Long.toHexString(known.crcs()[i]);
                String padding = "0".repeat(digits(known.crcs()[i]) - digits.length());
                add(PREFIX + padding + digits + " " + pool.get(known.names()[i]));
            }
        }

        private void add(String line) throws UnreadableException {
            MessageDigest ours = started == null ? Sha256.start() : started;
            started = ours;
            int blank = line.indexOf(' ');
            long crc = crc(line, blank);
            String name = name(line, blank);
            if (names.size() == crcs.length) {
                crcs = Arrays.copyOf(crcs, Math.max(64, crcs.length * 2));
            }
            isPlain &= name.length() == line.length() - blank - 1
                    && blank == PREFIX.length() + digits(crc)
                    && isUsual(line, blank);
            crcs[names.size()] = crc;
            names.add(name);
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            bytes[blank] = '\t';
            ours.update(bytes);
            ours.update((byte) '\n');
        }

        private static boolean isUsual(String line, int blank) {
            for (int i = PREFIX.length(); i < blank; i++) {
                char digit = line.charAt(i);
                if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) {
                    return false;
                }
            }
            return true;
        }

        TableEntries finish(List<String> pool) throws UnreadableException {
            PooledEntries known = repeated;
            if (known != null && repeatedEntries < known.crcs().length) {
                differ(known, pool);
            }
            if (repeated == null) {
                crcs = Arrays.copyOf(crcs, names.size());
                digest = "sha256:" + Sha256.hex(started == null ? Sha256.start() : started);
            }
            return this;
        }

        int size() {
            return repeated == null ? names.size() : repeatedEntries;
        }

        long[] crcs() {
            return crcs;
        }

        /** Returns the digest of the entries with a tab instead of the blank. */
        String digest() {
            return repeated == null ? Objects.requireNonNull(digest) : repeated.digest();
        }

        /** Returns a digest that does not depend on the order, which differs between programs that list exports. */
        String sorted() {
            String known = repeated == null ? null : repeated.sorted();
            if (known != null) {
                return known;
            }
            List<String> lines = new ArrayList<>(names.size());
            for (int i = 0; i < crcs.length; i++) {
                lines.add(names.get(i) + " " + Long.toHexString(crcs[i]) + "\n");
            }
            lines.sort(null);
            MessageDigest sorting = Sha256.start();
            lines.forEach(line -> sorting.update(line.getBytes(StandardCharsets.UTF_8)));
            return Sha256.hex(sorting);
        }

        private static long crc(String line, int blank) throws UnreadableException {
            int digits = blank - PREFIX.length();
            if (!line.startsWith(PREFIX) || digits < 1 || digits > MAX_DIGITS) {
                throw notAnEntry();
            }
            long crc = 0;
            for (int i = PREFIX.length(); i < blank; i++) {
                int digit = Character.digit(line.charAt(i), 16);
                if (digit < 0) {
                    throw notAnEntry();
                }
                crc = crc << 4 | digit;
            }
            return crc;
        }

        private static String name(String line, int blank) {
            int start = blank + 1;
            return line.substring(start < line.length() && line.charAt(start) == '.' ? start + 1 : start);
        }

        static UnreadableException notAnEntry() {
            return new UnreadableException(
                    UnreadableKind.CONTENTS, "a symbol table has an invalid entry (expected a CRC and a name)");
        }
    }

    /**
     * The symbol tables of one module's file, as a node reports them. All tables share one pool of names.
     *
     * @param versions the symbols of the version table in order, including {@code module_layout}; null if the node
     *     found no table
     * @param crcs the CRC of each of these symbols, as 64 bits
     * @param exports the exported symbols; null if unknown
     * @param exportCrcs the CRC of each exported symbol
     * @param digest the digest of the version table, as in a module's {@code crcs}: {@code sha256:…}; null without a
     *     table
     */
    public record ReportedTable(
            @Nullable SymbolNames versions,
            long[] crcs,
            @Nullable SymbolNames exports,
            long[] exportCrcs,
            @Nullable String digest) {}
}
