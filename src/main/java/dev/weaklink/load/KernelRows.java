package dev.weaklink.load;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.Workers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the symbols that modules import stand in a target's table of exports. Each module is looked
 * up once, however often it is asked for.
 */
public final class KernelRows {
  private static final int[] NONE = new int[0];

  private final ExportTable exports;
  private final Map<KernelModule, int[]> rows = new IdentityHashMap<>();

  public KernelRows(ExportTable exports) {
    this.exports = exports;
  }

  /** Looks up the imports of many modules on several threads. */
  public void prepare(Collection<KernelModule> modules, int threads) {
    List<KernelModule> list = new ArrayList<>();
    for (KernelModule module : modules) {
      if (!rows.containsKey(module)) {
        list.add(module);
      }
    }
    int[][] found = new int[list.size()][];
    Workers.start(
            list.size(),
            list.size() > 256 ? threads : 1,
            () -> index -> found[index] = lookUp(list.get(index)))
        .finish();
    for (int i = 0; i < found.length; i++) {
      rows.put(list.get(i), found[i]);
    }
  }

  /** For each import the row of the first export of that name, or -1. */
  int[] of(KernelModule module) {
    int[] known = rows.get(module);
    return known != null ? known : lookUp(module);
  }

  private int[] lookUp(KernelModule module) {
    SymbolNames imports = module.imports().names();
    if (imports.size() == 0) {
      return NONE;
    }
    int[] found = new int[imports.size()];
    for (int i = 0; i < found.length; i++) {
      found[i] = exports.find(imports, i);
    }
    return found;
  }
}
