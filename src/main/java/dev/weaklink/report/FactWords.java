package dev.weaklink.report;

import dev.weaklink.module.ModInfo;
import dev.weaklink.module.VersionTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Facts of a module in the form that both renderings of them use. */
final class FactWords {

  private FactWords() {}

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
}
