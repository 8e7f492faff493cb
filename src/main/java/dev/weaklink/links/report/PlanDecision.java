package dev.weaklink.links.report;

import dev.weaklink.check.report.InstallationAdvice;
import dev.weaklink.check.report.Readiness;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.ModulePlan.Unused;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.loader.Outcome;
import dev.weaklink.report.Page;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.system.OutOfTree;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The last lines of a plan: a summary of the changes, and the next commands. */
public record PlanDecision(
        Plan plan,
        List<RebuildGroup> rebuilds,
        String root,
        String options,
        boolean complete,
        boolean rebuildable,
        InstallationAdvice advice) {

    void write(Page page) {
        String decision = decision();
        if (advice.isUnfinished()) {
            page.sentence(0, "", decision);
            advice.writeNext(page, 0, "Next:");
            return;
        }
        String next = next();
        String line = decision + (next.isEmpty() ? "" : " Next: " + next);
        if (next.isEmpty() || then().isEmpty() && page.fits(line)) {
            page.line(line);
            return;
        }
        page.sentence(0, "", decision);
        step(page, "Next:", next);
        if (!then().isEmpty()) {
            step(page, "Then:", then());
        }
    }

    /** Writes a step, which is wrapped unless it contains a weaklink command to copy. */
    private static void step(Page page, String label, String step) {
        if (step.contains("weaklink ")) {
            page.line(label + ' ' + step);
        } else {
            page.sentence(0, label, step);
        }
    }

    private String decision() {
        List<String> parts = new ArrayList<>();
        add(parts, plan.count(Action.LINK), "link", "to make");
        add(parts, plan.count(Action.REPLACE), "link", "to replace");
        add(parts, plan.count(Action.UNLINK), "module", "to unlink");
        add(parts, plan.count(Action.REBUILD), "module", "to rebuild");
        add(parts, plan.count(Action.BUILD), "module", "to build");
        add(parts, count(module -> module.action() == Action.BLOCKED && !module.isGone()), "module", "blocked");
        add(
                parts,
                count(module -> module.action() == Action.BLOCKED && module.isGone()),
                "module",
                "no longer installed");
        add(
                parts,
                count(module ->
                        module.action() == Action.BLOCKED && !module.edits().isEmpty()),
                "module",
                "to unlink");
        add(parts, count(ModulePlan::breaksOthers), "module", "breaking others");
        add(parts, count(module -> module.unused() != null), "module", "not used by depmod");
        if (plan.needingDepmod() > 0) {
            parts.add("depmod to run for " + Numbers.of(plan.needingDepmod(), "kernel"));
        }
        if (!parts.isEmpty()) {
            return String.join(", ", parts) + ".";
        }
        int kept = plan.count(Action.KEEP);
        return kept + plan.count(Action.LEAVE) == 0
                ? "No out-of-tree modules."
                : (complete ? "" : "Not everything could be read; ")
                        + Numbers.of(kept, "module")
                        + (kept == 1 ? " as it should be." : " as they should be.");
    }

    private static void add(List<String> parts, int count, String noun, String todo) {
        if (count > 0) {
            parts.add(Numbers.of(count, noun) + " " + todo);
        }
    }

    private int count(Predicate<ModulePlan> wanted) {
        int count = 0;
        for (KernelPlan kernel : plan.kernels()) {
            for (ModulePlan module : kernel.modules()) {
                count += wanted.test(module) ? 1 : 0;
            }
        }
        return count;
    }

    List<String> steps() {
        return advice.isUnfinished() ? List.of() : List.of(next(), then());
    }

    private boolean isApplied() {
        return !plan.changesNothing() || canFix() || rebuildable;
    }

    private String then() {
        RebuildGroup left = isApplied() ? first(group -> !rebuildable || !group.canBeTried()) : null;
        return left == null ? "" : left.next(root);
    }

    private String next() {
        if (isApplied()) {
            boolean isAsked = canFix() || !plan.overrides().isEmpty();
            return "weaklink apply"
                    + (rebuildable ? " --rebuild" : "")
                    + (isAsked ? " --depmod-override" : "")
                    + options;
        }
        RebuildGroup first = first(group -> true);
        if (first != null) {
            return first.next(root);
        }
        KernelPlan doubtful = doubtful();
        return doubtful == null ? "" : "weaklink check --kernel " + Escape.text(ShellWord.of(doubtful.kernel())) + root;
    }

    private boolean canFix() {
        for (KernelPlan kernel : plan.kernels()) {
            for (ModulePlan module : kernel.modules()) {
                Unused unused = module.unused();
                if (unused != null && !unused.fixed() && unused.override() != null) {
                    return true;
                }
            }
        }
        return false;
    }

    private @Nullable RebuildGroup first(Predicate<RebuildGroup> wanted) {
        RebuildGroup first = null;
        for (KernelPlan kernel : plan.nextFirst()) {
            for (RebuildGroup group : rebuilds) {
                if (wanted.test(group)) {
                    if (group.kernel().equals(kernel.kernel())) {
                        return group;
                    }
                    first = first == null ? group : first;
                }
            }
        }
        return first;
    }

    private @Nullable KernelPlan doubtful() {
        for (KernelPlan kernel : plan.nextFirst()) {
            for (ModulePlan module : kernel.modules()) {
                boolean isFine = module.outcome() == Outcome.COMPATIBLE && !module.breaksOthers();
                if (!isFine && module.verdict() != null && module.action() != Action.LEAVE) {
                    return kernel;
                }
            }
        }
        return null;
    }

    public static Readiness state(List<ModulePlan> modules) {
        Readiness state = Readiness.OK;
        for (ModulePlan module : modules) {
            Readiness one = state(module);
            state = one.compareTo(state) > 0 ? one : state;
        }
        return state;
    }

    public static Readiness state(ModulePlan module) {
        boolean isUsed = module.unused() == null;
        if (module.breaksOthers()) {
            return Readiness.BREAKS_OTHERS;
        }
        if (module.isGone()) {
            return Readiness.GONE;
        }
        if (module.isServed()) {
            return isUsed ? Readiness.OK : Readiness.NOT_USED;
        }
        if (module.action() == Action.LEAVE) {
            return Readiness.NO_BUILD;
        }
        if (module.action() == Action.BUILD) {
            return Readiness.NOT_BUILT;
        }
        boolean isRebuilt = module.action() == Action.REBUILD
                || (module.action() == Action.UNLINK && module.outcome() == Outcome.COMPATIBLE);
        boolean isBlocked = module.action() == Action.BLOCKED;
        if (isRebuilt || module.outcome() == Outcome.INCOMPATIBLE && !isBlocked) {
            return Readiness.REBUILD_NEEDED;
        }
        if (isBlocked && module.outcome() == Outcome.COMPATIBLE && !OutOfTree.isLinkable(module.build())) {
            return Readiness.NOT_INSTALLED;
        }
        if (isBlocked || module.outcome() == Outcome.UNDETERMINED) {
            return Readiness.UNDETERMINED;
        }
        if (module.action() != Action.KEEP) {
            return Readiness.CAN_BE_LINKED;
        }
        return isUsed ? Readiness.LINKED : Readiness.LINKED_NOT_USED;
    }
}
