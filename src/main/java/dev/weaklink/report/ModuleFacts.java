package dev.weaklink.report;

import dev.weaklink.module.ModInfo;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.VersionTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Facts of a module in the form that both renderings of them use. */
final class ModuleFacts {
  private static final int TYPE_BITS = 64;

  private ModuleFacts() {}

  /** Names that {@code depends=} lists. */
  static List<String> depends(ModInfo info) {
    List<String> names = new ArrayList<>();
    String depends = info.first("depends");
    if (depends == null) {
      return names;
    }
    int start = 0;
    for (int comma; (comma = depends.indexOf(',', start)) >= 0; start = comma + 1) {
      addUnlessEmpty(names, depends.substring(start, comma));
    }
    addUnlessEmpty(names, depends.substring(start));
    return names;
  }

  private static void addUnlessEmpty(List<String> names, String name) {
    if (!name.isEmpty()) {
      names.add(name);
    }
  }

  static String layout(VersionTable table) {
    return id(table.layout());
  }

  /** A constant's name in machine-readable output: {@code BAD_MAGIC} is {@code bad-magic}. */
  static String id(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Numbers of the relocation types used, ascending; of those beyond 63 the first only. */
  static List<Integer> relocationTypes(Relocations relocations) {
    List<Integer> types = new ArrayList<>();
    for (int type = 0; type < TYPE_BITS; type++) {
      if ((relocations.typesUsed() >>> type & 1) != 0) {
        types.add(type);
      }
    }
    if (relocations.firstHighType() >= 0) {
      types.add(relocations.firstHighType());
    }
    return types;
  }
}
