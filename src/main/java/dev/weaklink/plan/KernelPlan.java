package dev.weaklink.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * What should happen on one kernel.
 *
 * @param kernel its release
 * @param modules by module name
 * @param largest false if more modules than those chosen may be possible to link: the search was
 *     cut short
 */
public record KernelPlan(String kernel, List<ModulePlan> modules, boolean largest) {
  public KernelPlan {
    modules = List.copyOf(modules);
  }

  /** Of the largest choice there is. */
  public KernelPlan(String kernel, List<ModulePlan> modules) {
    this(kernel, modules, true);
  }

  /** The same for other modules. */
  public KernelPlan with(List<ModulePlan> others) {
    return new KernelPlan(kernel, others, largest);
  }

  /** The same of a choice that is known to be the largest, or not. */
  public KernelPlan chosen(boolean isLargest) {
    return new KernelPlan(kernel, modules, isLargest);
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
