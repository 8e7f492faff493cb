package dev.weaklink.audit;

import dev.weaklink.intake.NodeInventory.Module;
import java.util.ArrayList;
import java.util.List;

/** Looks at files and links alone, as far as nodes say of them, and not at what is loaded. */
final class FilesJudge {
  private FilesJudge() {}

  /** What is wrong, in any order; empty if nothing is. */
  static List<Defect> judge(ModuleSet set) {
    List<Defect> defects = new ArrayList<>(ProductParts.defects(set.chosen()));
    for (Module module : set.modules()) {
      if (module.isDangling()) {
        defects.add(new Defect(Defect.Kind.DANGLING_LINK, module.name(), module.path()));
      } else if (Boolean.FALSE.equals(module.used())) {
        defects.add(new Defect(Defect.Kind.NOT_USED, module.name(), module.path()));
      }
    }
    return defects;
  }
}
