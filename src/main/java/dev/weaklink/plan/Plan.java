package dev.weaklink.plan;

import java.util.List;

/**
 * What should happen on a number of kernels.
 *
 * @param kernels from old to new
 */
public record Plan(List<KernelPlan> kernels) {
  public Plan {
    kernels = List.copyOf(kernels);
  }

  /** Number of modules with this action, over all kernels. */
  public int count(Action action) {
    int count = 0;
    for (KernelPlan kernel : kernels) {
      for (ModulePlan module : kernel.modules()) {
        count += module.action() == action ? 1 : 0;
      }
    }
    return count;
  }

  /** Whether modules remain, once it is carried out, that no build there is serves. */
  public boolean leavesWork() {
    for (KernelPlan kernel : kernels) {
      for (ModulePlan module : kernel.modules()) {
        if (module.leavesWork()) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Whether modules remain, once it is carried out, of which it is not known if they would load.
   */
  public boolean leavesDoubt() {
    for (KernelPlan kernel : kernels) {
      for (ModulePlan module : kernel.modules()) {
        if (module.leavesDoubt()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether carrying it out would change nothing. */
  public boolean changesNothing() {
    return count(Action.LINK) + count(Action.REPLACE) + count(Action.UNLINK) == 0
        && needingDepmod() == 0;
  }

  /** Number of kernels for which depmod has to run whether or not a link changes. */
  public int needingDepmod() {
    int kernelCount = 0;
    for (KernelPlan kernel : kernels) {
      kernelCount += kernel.needsDepmod().isEmpty() ? 0 : 1;
    }
    return kernelCount;
  }
}
