package dev.weaklink.check.report;

import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.Numbers;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A module's version table by symbol; the first entry of a name counts, as for the loader. */
final class VersionIndex {
  private final Map<String, Long> crcs = new HashMap<>();

  VersionIndex(@Nullable VersionTable table) {
    if (table != null) {
      SymbolNames names = table.names();
      for (int i = 0; i < names.size(); i++) {
        crcs.putIfAbsent(names.name(i), table.crcs()[i]);
      }
    }
  }

  /** The CRC the module was built for, null if the table does not say. */
  @Nullable String crc(String symbol) {
    Long crc = crcs.get(symbol);
    return crc == null ? null : Numbers.crc(crc);
  }
}
