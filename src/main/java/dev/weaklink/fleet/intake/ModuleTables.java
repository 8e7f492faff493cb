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
    private final SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(0);
    private @Nullable SymbolNames pool;
    private int entries;
    private final StringPool strings = new StringPool();

    /** The digests of a table's versions and exports, null for a missing part. */
    private record TableKey(
            @Nullable String versions, @Nullable String exports) {
        static TableKey of(@Nullable TableEntries versions, @Nullable TableEntries exports) {
            return new TableKey(
                    versions == null ? null : versions.digest(), exports == null ? null : exports.sortedDigest());
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
        private final int @Nullable [] versions;
        private final long[] crcs;
        private final int @Nullable [] exports;
        private final long[] exportCrcs;
        private final @Nullable String digest;
        private @Nullable ReportedTable table;

        Picked(
                int @Nullable [] versions,
                long[] crcs,
                int @Nullable [] exports,
                long[] exportCrcs,
                @Nullable String digest) {
            this.versions = versions;
            this.crcs = crcs;
            this.exports = exports;
            this.exportCrcs = exportCrcs;
            this.digest = digest;
        }

        ReportedTable table(SymbolNames pool) {
            if (table == null) {
                table = new ReportedTable(
                        versions == null ? null : pool.pick(versions),
                        crcs,
                        exports == null ? null : pool.pick(exports),
                        exportCrcs,
                        digest);
            }
            return table;
        }
    }

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
        TableEntries versions = null;
        TableEntries exports = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            json.nextToken();
            switch (key) {
                case "file" -> file = text(json);
                case "versions" -> versions = TableEntries.read(json);
                case "exports" -> exports = TableEntries.read(json);
                default -> json.skipChildren();
            }
        }
        if (file == null) {
            throw new UnreadableException(UnreadableKind.CONTENTS, "a table has no 'file'");
        }
        add(file, versions, exports);
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
                versions == null ? null : places(versions),
                versions == null ? NONE : versions.crcs(),
                exports == null ? null : places(exports),
                exports == null ? NONE : exports.crcs(),
                versions == null ? null : versions.digest());
    }

    private int[] places(TableEntries table) {
        int[] picks = new int[table.names().size()];
        for (int i = 0; i < picks.length; i++) {
            String name = table.names().get(i);
            Integer place = places.get(name);
            if (place == null) {
                place = places.size();
                places.put(name, place);
                byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
                names.add(bytes, 0, bytes.length);
            }
            picks[i] = place;
        }
        return picks;
    }

    private static int size(@Nullable TableEntries table) {
        return table == null ? 0 : table.names().size();
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
     * The entries of a table as kmod prints them: a CRC, a blank and a name.
     *
     * @param names the names in order, without the leading dot that the loader ignores on ppc64
     * @param digest the digest of the entries as in a module's {@code crcs}: a tab replaces the blank
     */
    private record TableEntries(List<String> names, long[] crcs, String digest) {
        private static final String PREFIX = "0x";
        private static final int MAX_DIGITS = 16;

        static TableEntries read(JsonParser json) throws IOException {
            if (json.currentToken() != JsonToken.START_ARRAY) {
                throw notAnEntry();
            }
            MessageDigest digest = Sha256.start();
            List<String> names = new ArrayList<>();
            long[] crcs = new long[64];
            while (json.nextToken() != JsonToken.END_ARRAY) {
                if (json.currentToken() != JsonToken.VALUE_STRING) {
                    throw notAnEntry();
                }
                String line = json.getText();
                int blank = line.indexOf(' ');
                if (names.size() == crcs.length) {
                    crcs = Arrays.copyOf(crcs, crcs.length * 2);
                }
                crcs[names.size()] = crc(line, blank);
                names.add(name(line, blank));
                byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
                bytes[blank] = '\t';
                digest.update(bytes);
                digest.update((byte) '\n');
            }
            return new TableEntries(names, Arrays.copyOf(crcs, names.size()), "sha256:" + Sha256.hex(digest));
        }

        /** Returns a digest that does not depend on the order, which differs between programs that list exports. */
        String sortedDigest() {
            List<String> lines = new ArrayList<>(names.size());
            for (int i = 0; i < crcs.length; i++) {
                lines.add(names.get(i) + " " + Long.toHexString(crcs[i]) + "\n");
            }
            lines.sort(null);
            MessageDigest digest = Sha256.start();
            lines.forEach(line -> digest.update(line.getBytes(StandardCharsets.UTF_8)));
            return Sha256.hex(digest);
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

        private static UnreadableException notAnEntry() {
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
