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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The symbol tables of all modules by the digests of their files. Of several tables for one file, the first counts.
 * Equal tables are stored once, and so is each symbol name.
 */
public final class ModuleTables {
    /** The maximum number of symbols in all tables, enough for 100,000 modules of usual size. */
    private static final int MAX_ENTRIES = 16 << 20;

    private static final long[] NONE = new long[0];

    private final Map<String, Picked> byFile = new HashMap<>();
    private final Map<TableKey, Picked> distinct = new HashMap<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(0);
    private @Nullable SymbolNames pool;
    private int entries;
    private final StringPool strings = new StringPool();

    /** The digests of a table's versions and exports, null for a missing part. */
    private record TableKey(
            @Nullable String versions, @Nullable String exports) {}

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

    /**
     * Returns the table of the file with this digest, or null if no node reported it. Equal tables are one object. Call
     * only after all input was read.
     */
    public @Nullable ReportedTable find(@Nullable String file) {
        Picked picked = file == null ? null : byFile.get(file);
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
            boolean known = file != null && byFile.containsKey(file);
            switch (key) {
                case "file" -> file = text(json);
                case "versions" -> versions = known ? skip(json) : TableEntries.read(json);
                case "exports" -> exports = known ? skip(json) : TableEntries.read(json);
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
        if (byFile.containsKey(file)) {
            return;
        }
        if (pool != null) {
            throw new IllegalStateException("tables were asked for before all were read");
        }
        TableKey key =
                new TableKey(versions == null ? null : versions.digest(), exports == null ? null : exports.digest());
        Picked table = distinct.get(key);
        if (table == null) {
            table = picked(versions, exports);
            distinct.put(key, table);
        }
        byFile.put(file, table);
    }

    private Picked picked(@Nullable TableEntries versions, @Nullable TableEntries exports) throws UnreadableException {
        int count = size(versions) + size(exports);
        if (count > MAX_ENTRIES - entries) {
            throw new UnreadableException(UnreadableKind.CONTENTS, "more tables than can be held");
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

    private static @Nullable TableEntries skip(JsonParser json) throws IOException {
        json.skipChildren();
        return null;
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
     * @param names the names in order, without a leading dot, which the loader ignores on ppc64
     * @param digest the digest of the entries with a tab instead of the blank
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
                    UnreadableKind.CONTENTS, "a table has an entry that is not a CRC and a name");
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
