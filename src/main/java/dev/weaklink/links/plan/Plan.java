package dev.weaklink.links.plan;

import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.ModulePlan.Unused;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The plans for several kernels.
 *
 * @param kernels the kernels' plans, from old to new
 * @param next the kernel that probably boots next, even if it has no plan here; null if unknown
 */
public record Plan(List<KernelPlan> kernels, @Nullable String next) {
    public Plan {
        kernels = List.copyOf(kernels);
    }

    public Plan(List<KernelPlan> kernels) {
        this(kernels, null);
    }

    /** Returns the plans from new to old, but first the plan of the kernel that boots next, if there is one. */
    public List<KernelPlan> nextFirst() {
        List<KernelPlan> sorted = new ArrayList<>(kernels);
        Collections.reverse(sorted);
        sorted.sort(Comparator.comparing(kernel -> !kernel.kernel().equals(next)));
        return sorted;
    }

    public List<String> mendedKernels() {
        List<String> fixed = new ArrayList<>();
        for (KernelPlan kernel : kernels) {
            for (ModulePlan module : kernel.modules()) {
                if (module.unused() != null && !module.staysUnused() && !fixed.contains(kernel.kernel())) {
                    fixed.add(kernel.kernel());
                }
            }
        }
        return fixed;
    }

    public List<String> overrides() {
        Set<String> lines = new TreeSet<>();
        for (KernelPlan kernel : kernels) {
            for (ModulePlan module : kernel.modules()) {
                Unused unused = module.unused();
                if (unused != null && unused.override() != null && unused.fixed()) {
                    lines.add(unused.override());
                }
            }
        }
        return List.copyOf(lines);
    }

    public int count(Action action) {
        int count = 0;
        for (KernelPlan kernel : kernels) {
            for (ModulePlan module : kernel.modules()) {
                count += module.action() == action ? 1 : 0;
            }
        }
        return count;
    }

    public boolean leavesWork() {
        for (KernelPlan kernel : kernels) {
            if (!kernel.unfinished().isEmpty()) {
                return true;
            }
            for (ModulePlan module : kernel.modules()) {
                if (module.leavesWork()) {
                    return true;
                }
            }
        }
        return false;
    }

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

    public boolean changesNothing() {
        return overrides().isEmpty()
                && kernels.stream().allMatch(kernel -> kernel.edits().isEmpty())
                && needingDepmod() == 0;
    }

    public int needingDepmod() {
        int kernelCount = 0;
        for (KernelPlan kernel : kernels) {
            kernelCount += kernel.needsDepmod().isEmpty() ? 0 : 1;
        }
        return kernelCount;
    }
}
