package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weaklink.module.SymbolNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tables of all modules by the digests of their files. A table is read where it is met first,
 * and every symbol's name is held once, however many nodes say of it.
 */
public final class ModuleTables {
  /** So many symbols in all tables: those of 100,000 modules of usual size. */
  private static final int MAX_ENTRIES = 16 << 20;

  private static final long[] NONE = new long[0];

  private final Map<String, Picked> byFile = new HashMap<>();
  private final Map<String, Integer> places = new HashMap<>();
  private final SymbolNames.Builder names = new SymbolNames.Builder(0);
  private @Nullable SymbolNames pool;
  private int entries;
  private final KnownTexts texts = new KnownTexts();

  /** A table whose names are places in the pool. */
  private record Picked(
      int @Nullable [] versions,
      long[] crcs,
      int @Nullable [] exports,
      long[] exportCrcs,
      @Nullable String digest) {}

  /** The table of the file with this digest, null if no node reported it. When all is read. */
  public @Nullable ReportedTable find(@Nullable String file) {
    Picked picked = file == null ? null : byFile.get(file);
    if (picked == null) {
      return null;
    }
    if (pool == null) {
      pool = names.build();
    }
    int[] versions = picked.versions;
    int[] exports = picked.exports;
    return new ReportedTable(
        versions == null ? null : pool.pick(versions),
        picked.crcs,
        exports == null ? null : pool.pick(exports),
        picked.exportCrcs,
        picked.digest);
  }

  /** Texts of all nodes. */
  KnownTexts texts() {
    return texts;
  }

  /** Takes in what a node reports below its key {@code tables}; the bracket was read. */
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
        case "versions" -> versions = known ? skip(json) : TableEntries.read(json, true);
        case "exports" -> exports = known ? skip(json) : TableEntries.read(json, false);
        default -> json.skipChildren();
      }
    }
    if (file == null) {
      throw new MalformedNodeException("a table has no 'file'");
    }
    add(file, versions, exports);
  }

  private void add(String file, @Nullable TableEntries versions, @Nullable TableEntries exports)
      throws MalformedNodeException {
    int count = size(versions) + size(exports);
    if (byFile.containsKey(file)) {
      return;
    }
    if (pool != null) {
      throw new IllegalStateException("tables were asked for before all were read");
    }
    if (count > MAX_ENTRIES - entries) {
      throw new MalformedNodeException("more tables than can be held");
    }
    entries += count;
    byFile.put(
        file,
        new Picked(
            versions == null ? null : places(versions),
            versions == null ? NONE : versions.crcs(),
            exports == null ? null : places(exports),
            exports == null ? NONE : exports.crcs(),
            versions == null ? null : versions.digest()));
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

  private static MalformedNodeException malformed() {
    return new MalformedNodeException("'tables' is of another type than it should be");
  }
}
