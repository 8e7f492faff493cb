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
 * What should happen on a number of kernels.
 *
 * @param kernels from old to new
 * @param next the kernel that will be booted next, whether it is one of them or not; null if none is known
 */
public record Plan(List<KernelPlan> kernels, @Nullable String next) {
    public Plan {
        kernels = List.copyOf(kernels);
    }

    /** Where it makes no difference what is booted next. */
    public Plan(List<KernelPlan> kernels) {
        this(kernels, null);
    }

    /** The kernel that will be booted next first, then from new to old. */
    public List<KernelPlan> nextFirst() {
        List<KernelPlan> sorted = new ArrayList<>(kernels);
        Collections.reverse(sorted);
        sorted.sort(Comparator.comparing(kernel -> !kernel.kernel().equals(next)));
        return sorted;
    }

    /** Kernels for which it makes depmod choose what it would not. */
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

    /** The lines of depmod.d that it would write: those that fix what is unused; sorted. */
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

    /** Whether modules remain, once it is carried out, that no build there is serves, or a kernel is unfinished. */
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

    /** Whether modules remain, once it is carried out, of which it is not known if they would load. */
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
        return overrides().isEmpty()
                && kernels.stream().allMatch(kernel -> kernel.edits().isEmpty())
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
