package dev.weaklink.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * What should happen on one kernel.
 *
 * @param kernel its release
 * @param modules by module name
 */
public record KernelPlan(String kernel, List<ModulePlan> modules) {
  public KernelPlan {
    modules = List.copyOf(modules);
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
