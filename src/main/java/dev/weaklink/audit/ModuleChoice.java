package dev.weaklink.audit;

import dev.weaklink.intake.NodeInventory.Module;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/** Which files of a set would be loaded: one of each name. */
final class ModuleChoice {
  private static final String[] PLACES = {"/updates/", "/extra/", "/weak-updates/"};

  /** What modules.dep lists first, then in the order that RHEL's depmod.d has. */
  private static final Comparator<Module> BEST =
      Comparator.comparing(ModuleChoice::use)
          .thenComparing(ModuleChoice::place)
          .thenComparing(Module::path);

  private ModuleChoice() {}

  /**
   * The best file of each name, sorted by name; links to nothing are left out. One that modules.dep
   * does not list counts if its name has no other: what links modules to other kernels does not ask
   * there.
   */
  static List<Module> of(List<Module> modules) {
    TreeMap<String, Module> best = new TreeMap<>();
    for (Module module : modules) {
      if (!module.isDangling()) {
        best.merge(module.name(), module, (a, b) -> BEST.compare(a, b) <= 0 ? a : b);
      }
    }
    return new ArrayList<>(best.values());
  }

  private static int use(Module module) {
    Boolean used = module.used();
    return used == null ? 1 : used ? 0 : 2;
  }

  private static int place(Module module) {
    for (int i = 0; i < PLACES.length; i++) {
      if (module.path().contains(PLACES[i])) {
        return i;
      }
    }
    return PLACES.length;
  }
}
