package dev.weaklink.loader;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.SymbolNames;

/**
 * The comparison of module_layout (check_modstruct_version), whose type covers struct module: the
 * first CRC the loader looks at, and the one that distinguishes kernels that have nothing in
 * common.
 */
final class ModuleLayoutStep {
  private static final SymbolNames MODULE_LAYOUT =
      new SymbolNames.Builder(1).add("module_layout").build();

  private ModuleLayoutStep() {}

  static void apply(VerdictBuilder j, VersionCheck versions) {
    if (!j.target().is(LoaderRule.MODVERSIONS, "yes")) {
      // What it imports says so for itself, symbol by symbol.
      if (j.module().imports().names().size() == 0 && !j.target().isOwn(j.module())) {
        j.unproven(
            FindingKind.LAYOUT_NOT_COMPARED,
            null,
            "the kernel compares no CRCs: nothing proves that struct module is the same");
      }
      return;
    }
    ExportTable exports = j.target().exports();
    int row = exports.find(MODULE_LAYOUT, 0);
    if (row < 0 || !exports.hasCrc(row)) {
      j.uncheck(Layer.MODULE_LAYOUT);
      return;
    }
    VersionCheck.Result result =
        versions.check(j, MODULE_LAYOUT, 0, row, exports.crc(row), exports.owner(row), true);
    if (result == VersionCheck.Result.ACCEPTED_BLINDLY) {
      j.unproven(
          FindingKind.LAYOUT_NOT_COMPARED,
          "module_layout",
          "the loader would accept without comparing its CRC: nothing proves that struct module is"
              + " the same");
    }
  }
}
