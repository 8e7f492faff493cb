package dev.weaklink.report;

import dev.weaklink.module.ModInfo;
import java.util.ArrayList;
import java.util.List;

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
}
