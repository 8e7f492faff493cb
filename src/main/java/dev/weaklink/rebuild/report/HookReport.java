package dev.weaklink.rebuild.report;

import dev.weaklink.check.report.HookLines;
import dev.weaklink.check.report.Readiness;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.report.PlanTable;
import dev.weaklink.rebuild.DkmsFailure;
import dev.weaklink.rebuild.run.InstallationFailure;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.initramfs.UnfinishedInstallation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The report of a hook on installed kernels: for each kernel, the products by state, the failed builds of DKMS, the
 * signs of an unfinished installation, and the next step.
 */
public final class HookReport {
    private static final int MAX_FAILURE_LINES = 6;

    private HookReport() {}

    /**
     * Returns the lines that a hook prints about a plan.
     *
     * @param root the root directory of the plan, for printed commands
     */
    public static String text(Plan plan, List<InstallationFailure> failures, List<RebuildGroup> rebuilds, Root root) {
        StringBuilder text = new StringBuilder();
        for (KernelPlan kernel : plan.nextFirst()) {
            InstallationFailure failure = null;
            for (InstallationFailure one : failures) {
                failure = one.kernel().equals(kernel.kernel()) ? one : failure;
            }
            List<DkmsFailure> builds = failure == null ? List.of() : failure.builds();
            text.append(products(kernel, builds, rebuilds, root));
            if (failure != null && !failure.isNone()) {
                text.append(text(failure));
            }
        }
        return text.toString();
    }

    private static String products(
            KernelPlan kernel, List<DkmsFailure> builds, List<RebuildGroup> rebuilds, Root root) {
        HookLines lines = new HookLines();
        Set<String> unlisted = new HashSet<>();
        kernel.needsDepmod().forEach(file -> unlisted.add(ModuleNames.ofPath(file)));
        PlanTable.products(kernel)
                .forEach((label, modules) -> PlanTable.byState(modules).forEach((state, ofState) -> {
                    List<String> names = new ArrayList<>();
                    boolean isExplained = state == Readiness.NOT_BUILT || state == Readiness.REBUILD_NEEDED;
                    for (ModulePlan module : ofState) {
                        names.add(module.module());
                        isExplained &= builds.stream()
                                .anyMatch(build -> build.modules().contains(module.module()));
                    }
                    RebuildGroup stuck = unbuildable(kernel, names, rebuilds);
                    if (stuck != null && state == Readiness.REBUILD_NEEDED) {
                        lines.addRefusedForGood(stuck.older(), names, label);
                    } else if (!isExplained) {
                        add(lines, state, names, label, unlisted);
                    }
                }));
        return lines.text(Escape.text(kernel.kernel()), true, Escape.text(root.words()));
    }

    /**
     * Adds a line for the modules in a state. If the state is OK or LINKED, the modules that modprobe finds only after
     * a run of depmod get a line of their own.
     */
    private static void add(HookLines lines, Readiness state, List<String> names, String label, Set<String> unlisted) {
        List<String> found = new ArrayList<>(names);
        List<String> later = new ArrayList<>();
        if (state == Readiness.OK || state == Readiness.LINKED) {
            found.removeAll(unlisted);
            later.addAll(names);
            later.retainAll(unlisted);
        }
        if (!found.isEmpty()) {
            lines.add(state, found, label);
        }
        if (!later.isEmpty()) {
            lines.add(Readiness.CAN_BE_LINKED, later, label);
        }
    }

    private static @Nullable RebuildGroup unbuildable(
            KernelPlan kernel, List<String> modules, List<RebuildGroup> rebuilds) {
        for (RebuildGroup group : rebuilds) {
            boolean isOf =
                    group.kernel().equals(kernel.kernel()) && group.modules().containsAll(modules);
            if (isOf && group.isUnbuildable()) {
                return group;
            }
        }
        return null;
    }

    private static String text(InstallationFailure failure) {
        String kernel = Escape.text(failure.kernel());
        StringBuilder text = new StringBuilder();
        List<DkmsFailure> builds = failure.builds();
        for (DkmsFailure build : builds.subList(0, Math.min(builds.size(), MAX_FAILURE_LINES))) {
            text.append("weaklink: " + kernel + " has no build of " + Escape.text(build.label())
                    + ", because DKMS failed: " + Escape.text(build.error()) + "\n");
        }
        if (builds.size() > MAX_FAILURE_LINES) {
            text.append("weaklink: " + kernel + " has no build of "
                    + Escape.text(String.join(
                            ", ",
                            builds.subList(MAX_FAILURE_LINES, builds.size()).stream()
                                    .map(DkmsFailure::label)
                                    .toList()))
                    + ", because DKMS failed\n");
        }
        if (!failure.unfinished().isEmpty()) {
            List<String> signs = failure.unfinished().stream()
                    .map(UnfinishedInstallation::reason)
                    .toList();
            text.append("weaklink: do not boot " + kernel + " yet: " + Escape.text(String.join("; ", signs)) + "\n");
        }
        String wayOut = (failure.wayOut() + " " + failure.next()).strip();
        return text + (wayOut.isEmpty() ? "" : "weaklink: " + Escape.text(wayOut) + "\n");
    }
}
