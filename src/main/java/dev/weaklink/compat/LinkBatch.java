package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.ModuleBatch;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.List;

/** Links whose modules were read at once. */
final class LinkBatch {
  private final ModuleBatch modules;
  private final List<ModuleLink> links;

  /** {@code links} are in the order of the modules. */
  LinkBatch(ModuleBatch modules, List<ModuleLink> links) {
    this.modules = modules;
    this.links = List.copyOf(links);
  }

  /** What was read of them. */
  List<ModuleLink> links() {
    return links;
  }

  /**
   * The same, in the same order, with what a kernel's keys say of their modules' signatures if it
   * insists on these. Elsewhere no key is looked for: that takes longer than all the rest.
   */
  List<ModuleLink> provenOn(KernelView view) {
    if (!view.insistsOnSignatures()) {
      return links;
    }
    List<KernelModule> proven = modules.provenOn(view);
    List<ModuleLink> known = new ArrayList<>(links.size());
    for (int i = 0; i < links.size(); i++) {
      known.add(links.get(i).with(proven.get(i)));
    }
    return known;
  }
}
