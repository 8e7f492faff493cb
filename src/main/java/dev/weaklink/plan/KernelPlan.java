package dev.weaklink.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * What should happen on one kernel.
 *
 * @param kernel its release
 * @param modules by module name
 * @param needsDepmod links that depmod has not seen: they are not in modules.dep, or are in it
 *     although they are gone; as seen from inside the root
 */
public record KernelPlan(String kernel, List<ModulePlan> modules, List<String> needsDepmod) {
  public KernelPlan {
    modules = List.copyOf(modules);
    needsDepmod = List.copyOf(needsDepmod);
  }

  /** Where depmod has seen every link. */
  public KernelPlan(String kernel, List<ModulePlan> modules) {
    this(kernel, modules, List.of());
  }

  /** The same where depmod has not seen these links. */
  public KernelPlan withoutDepmod(List<String> links) {
    return new KernelPlan(kernel, modules, links);
  }

  /** All links that change, in the order of the modules. */
  public List<LinkEdit> edits() {
    List<LinkEdit> edits = new ArrayList<>();
    for (ModulePlan module : modules) {
      edits.addAll(module.edits());
    }
    return edits;
  }
}
