package dev.weaklink.manage;

import dev.weaklink.plan.KernelPlan;
import dev.weaklink.plan.LinkEdit;
import dev.weaklink.plan.ModulePlan;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleNames;
import dev.weaklink.tree.ModuleTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says of planned modules that depmod would not choose what mends that. */
final class DepmodAdvice {
  private DepmodAdvice() {}

  /** The plan with advice where the search order or a missing override leaves a module unused. */
  static KernelPlan add(KernelPlan plan, ModuleTree now) {
    ModuleTree after = after(plan, now);
    List<ModulePlan> modules = new ArrayList<>();
    for (ModulePlan module : plan.modules()) {
      String file = fileInUse(module, now);
      String advice = file == null ? null : advice(file, module, after);
      modules.add(advice == null ? module : module.withAdvice(advice));
    }
    return new KernelPlan(plan.kernel(), modules);
  }

  private static ModuleTree after(KernelPlan plan, ModuleTree now) {
    Set<String> gone = new HashSet<>();
    List<ModuleFile> made = new ArrayList<>();
    for (LinkEdit edit : plan.edits()) {
      gone.add(edit.path());
      if (edit.after() != null) {
        String name = edit.path().substring(edit.path().lastIndexOf('/') + 1);
        made.add(new ModuleFile(ModuleNames.ofFile(name), edit.path(), Path.of(edit.after())));
      }
    }
    return now.changed(file -> gone.contains(file.inside()), made);
  }

  /** The path below the kernel's directory by which depmod should choose it; null if by none. */
  private static @Nullable String fileInUse(ModulePlan module, ModuleTree now) {
    if (module.link() != null) {
      return module.link();
    }
    return module.build().startsWith(now.directory().inside() + "/") ? module.build() : null;
  }

  private static @Nullable String advice(String file, ModulePlan module, ModuleTree after) {
    ModuleFile chosen = after.chosen(module.module());
    if (chosen == null || chosen.inside().equals(file)) {
      return null;
    }
    String base = after.directory().inside();
    if (!file.startsWith(base + "/") || chosen.host().toString().equals(module.build())) {
      return null;
    }
    int slash = file.lastIndexOf('/');
    String name = file.substring(slash + 1);
    return "unused: depmod chooses "
        + chosen.inside()
        + "; this line in a file of /etc/depmod.d mends it: override "
        + name.substring(0, name.indexOf('.'))
        + " * "
        + file.substring(base.length() + 1, slash);
  }
}
