package dev.weaklink.links;

import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.LinkEdit;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.Unused;
import dev.weaklink.loader.Outcome;
import dev.weaklink.system.ModuleFile;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds out which planned modules depmod would not choose, and what fixes that. */
final class DepmodChoice {
  private DepmodChoice() {}

  /**
   * The plan with what depmod would choose where the search order or a missing override leaves a
   * module unused.
   *
   * @param fixed whether the lines that fix it will be written
   */
  static KernelPlan add(KernelPlan plan, ModuleTree now, boolean fixed) {
    ModuleTree after = after(plan, now);
    List<ModulePlan> modules = new ArrayList<>();
    for (ModulePlan module : plan.modules()) {
      String file = fileInUse(module, now);
      Unused unused = file == null ? null : unused(file, module, after, fixed);
      modules.add(unused == null ? module : module.withUnused(unused));
    }
    return plan.with(modules);
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
    if (module.outcome() == Outcome.INCOMPATIBLE) {
      return null;
    }
    if (module.link() != null) {
      return module.link();
    }
    return module.build().startsWith(now.directory().inside() + "/") ? module.build() : null;
  }

  private static @Nullable Unused unused(
      String file, ModulePlan module, ModuleTree after, boolean fixed) {
    ModuleFile chosen = after.chosen(module.module());
    if (chosen == null || chosen.inside().equals(file)) {
      return null;
    }
    String base = after.directory().inside();
    if (!file.startsWith(base + "/") || chosen.host().toString().equals(module.build())) {
      return null;
    }
    String override = override(file.substring(base.length() + 1));
    return new Unused(chosen.inside(), override, fixed && override != null);
  }

  /** The line that makes depmod choose a file; null if none can, as words have no blanks in it. */
  private static @Nullable String override(String place) {
    int slash = place.lastIndexOf('/');
    String name = place.substring(slash + 1);
    boolean isPlain = place.chars().allMatch(c -> c > ' ' && c != '\\' && c != 0x7f);
    return slash < 0 || !isPlain
        ? null
        : "override " + name.substring(0, name.indexOf('.')) + " * " + place.substring(0, slash);
  }
}
