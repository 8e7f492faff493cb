package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.module.Exports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which symbols of a module depmod(8) would complain of: all that are unknown or of another
 * version, whereas the loader stops at the first thing it does not like.
 */
final class SymbolObjections {
  private static final String MODULE_LAYOUT = "module_layout";

  private final ExportTable kernel;
  private final Map<String, @Nullable Long> exported = new HashMap<>();

  /** With these modules in place, and those of the kernel that they need. */
  static SymbolObjections on(KernelView view, List<KernelModule> given, KernelRows rows) {
    Set<String> replaced = new HashSet<>();
    for (KernelModule module : given) {
      replaced.add(module.name());
    }
    List<KernelModule> present = new ArrayList<>(given);
    for (KernelModule own : view.neededBy(given, rows)) {
      if (!replaced.contains(own.name())) {
        present.add(own);
      }
    }
    return new SymbolObjections(view.kernel().exports(), present);
  }

  /** {@code modules} are all those whose exports count. */
  SymbolObjections(ExportTable kernel, Collection<KernelModule> modules) {
    this.kernel = kernel;
    for (KernelModule module : modules) {
      Exports exports = module.exports();
      for (int i = 0; i < exports.names().size(); i++) {
        Long crc = exports.hasCrc().get(i) ? exports.crcs()[i] & 0xffffffffL : null;
        exported.putIfAbsent(exports.names().name(i), crc);
      }
    }
  }

  /** In the order of the symbol table, module_layout last. */
  List<String> of(KernelModule module) {
    Map<String, Long> wanted = versions(module.versions());
    SymbolNames imports = module.imports().names();
    List<String> objections = new ArrayList<>();
    for (int i = 0; i < imports.size(); i++) {
      String symbol = imports.name(i);
      if (!isKnown(symbol)) {
        if (!module.imports().weak().get(i)) {
          objections.add(symbol);
        }
      } else if (disagrees(symbol, wanted)) {
        objections.add(symbol);
      }
    }
    if (isKnown(MODULE_LAYOUT) && disagrees(MODULE_LAYOUT, wanted)) {
      objections.add(MODULE_LAYOUT);
    }
    return objections;
  }

  private static Map<String, Long> versions(@Nullable VersionTable table) {
    Map<String, Long> versions = new HashMap<>();
    for (int i = 0; table != null && i < table.names().size(); i++) {
      versions.putIfAbsent(table.names().name(i), table.crcs()[i]);
    }
    return versions;
  }

  private boolean isKnown(String symbol) {
    return ofKernel(symbol) >= 0 || exported.containsKey(symbol);
  }

  private int ofKernel(String symbol) {
    int row = kernel.find(symbol);
    return row >= 0 && kernel.isVmlinux(row) ? row : -1;
  }

  private boolean disagrees(String symbol, Map<String, Long> wanted) {
    int row = ofKernel(symbol);
    Long offered = exported.get(symbol);
    if (row >= 0) {
      offered = kernel.hasCrc(row) ? kernel.crc(row) & 0xffffffffL : null;
    }
    Long version = wanted.get(symbol);
    return offered != null && version != null && !version.equals(offered);
  }
}
