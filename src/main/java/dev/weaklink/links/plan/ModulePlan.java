package dev.weaklink.links.plan;

import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What should happen with one module on one kernel.
 *
 * @param module its name
 * @param unit what it belongs to
 * @param action what is to be done
 * @param link the path it is, or is to be, linked by; null if it is not
 * @param own whether {@code build} was built for this very kernel and lies in its directory
 * @param build the build that is to be used, or that comes nearest to it; as seen from inside the root
 * @param edits the links that change; empty unless the action is one that changes something
 * @param outcome what the loader would say to {@code build}
 * @param verdict why; null if nothing was judged
 * @param reason one sentence saying why this action
 * @param advice what the administrator may do as well; null if nothing
 * @param unused what depmod chooses instead of it; null if it chooses it, or nothing is to be used
 */
public record ModulePlan(
        String module,
        Unit unit,
        Action action,
        @Nullable String link,
        boolean own,
        String build,
        List<LinkEdit> edits,
        Outcome outcome,
        @Nullable Verdict verdict,
        String reason,
        @Nullable String advice,
        @Nullable Unused unused) {
    public ModulePlan {
        edits = List.copyOf(edits);
    }

    /** The same plan with one thing more to be said. */
    public ModulePlan withAdvice(String words) {
        String all = advice == null ? words : advice + "; " + words;
        return new ModulePlan(module, unit, action, link, own, build, edits, outcome, verdict, reason, all, unused);
    }

    /** The same plan with a verdict that says more. */
    public ModulePlan withVerdict(Verdict fuller) {
        return new ModulePlan(module, unit, action, link, own, build, edits, outcome, fuller, reason, advice, unused);
    }

    /** The same plan where depmod chooses another file. */
    public ModulePlan withUnused(Unused found) {
        return new ModulePlan(module, unit, action, link, own, build, edits, outcome, verdict, reason, advice, found);
    }

    /** Whether, once this is carried out, depmod will choose another file. */
    public boolean staysUnused() {
        return unused != null && !unused.fixed();
    }

    /** Whether it is used and loads, and others that use what it replaces would no longer. */
    public boolean breaksOthers() {
        return outcome == Outcome.COMPATIBLE && verdict != null && verdict.breaksOthers() && !staysUnused();
    }

    /** Whether, once this is carried out, no build that exists serves. */
    boolean leavesWork() {
        if (staysUnused() || breaksOthers()) {
            return true;
        }
        return switch (action) {
            case REBUILD, BUILD -> true;
            case KEEP, LINK, REPLACE -> outcome == Outcome.INCOMPATIBLE;
            case UNLINK -> isGone() || outcome != Outcome.UNDETERMINED && !isServed();
            case LEAVE -> false;
            case BLOCKED -> outcome != Outcome.UNDETERMINED;
        };
    }

    /** Whether the kernel's own build is used, whatever happens to links. */
    public boolean isServed() {
        return own && outcome == Outcome.COMPATIBLE;
    }

    /** Returns whether only links are left of it: no build exists any more. */
    public boolean isGone() {
        return action == Action.UNLINK && verdict == null && !own;
    }

    /** Whether, once this is carried out, it is not known if the module would load. */
    boolean leavesDoubt() {
        return outcome == Outcome.UNDETERMINED && verdict != null && action != Action.LEAVE;
    }

    /**
     * That depmod chooses another file than the one a plan wants to be used.
     *
     * @param chosen the file it chooses, as seen from inside the root
     * @param override the line of depmod.d(5) that makes it choose the right one; null if none can
     * @param fixed whether the plan writes that line
     */
    public record Unused(String chosen, @Nullable String override, boolean fixed) {}

    /** What should happen with a module on a kernel. The ids are part of the machine-readable contract. */
    public enum Action implements StableId {
        /** All is as it should be. */
        KEEP,
        /** A weak-updates link is to be made. */
        LINK,
        /** A weak-updates link is to point to another build. */
        REPLACE,
        /** A weak-updates link is to go, for what it points to would not be loaded. */
        UNLINK,
        /** No build that exists would be loaded; one has to be made for this kernel. */
        REBUILD,
        /** DKMS has it built for every kernel, and has not done so for this one yet. */
        BUILD,
        /** No build would be loaded, and none is asked for: all are for newer kernels. */
        LEAVE,
        /** Blocked by something that a rebuild may not fix; manual intervention is required. */
        BLOCKED
    }

    /**
     * Modules that were installed together, as plans call them.
     *
     * @param name the package's name; without one, the directory such as {@code extra/foo}; without one of its own, the
     *     module's name
     * @param product the id of the product that rules take it for, null if for none
     */
    public record Unit(String name, @Nullable String product) {
        /** What the two are called where there is one line for each product. */
        public String label() {
            return product == null ? name : product;
        }
    }
}
