package dev.weaklink.links.plan;

import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The planned action for one module on one kernel.
 *
 * @param unit the package or directory that the module belongs to
 * @param link the path of the link that the plan keeps, makes or replaces; null if there is no such link
 * @param own true if {@code build} is in the kernel's own directory
 * @param build the path of the build to use, or else of the build that {@code reason} is about, as seen inside the root
 *     directory. If no build is installed any more, the target of the remaining link; empty if there is no link
 * @param edits the changes to links, may be empty
 * @param outcome the loader's expected outcome for {@code build}
 * @param verdict the reasons for the outcome; null if weaklink checked no build
 * @param reason one sentence that explains the action
 * @param advice a remark or a further step for the administrator; null if there is none
 * @param unused the file that depmod chooses instead of the planned file; null if there is none
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

    public static ModulePlan gone(String module, String reason) {
        return new ModulePlan(
                module,
                new Unit(module, null),
                Action.BLOCKED,
                null,
                false,
                "",
                List.of(),
                Outcome.INCOMPATIBLE,
                null,
                reason,
                null,
                null);
    }

    public ModulePlan withAdvice(String words) {
        String all = advice == null ? words : advice + "; " + words;
        return new ModulePlan(module, unit, action, link, own, build, edits, outcome, verdict, reason, all, unused);
    }

    public ModulePlan withVerdict(Verdict fuller) {
        return new ModulePlan(module, unit, action, link, own, build, edits, outcome, fuller, reason, advice, unused);
    }

    public ModulePlan withUnused(Unused found) {
        return new ModulePlan(module, unit, action, link, own, build, edits, outcome, verdict, reason, advice, found);
    }

    public boolean staysUnused() {
        return unused != null && !unused.fixed();
    }

    public boolean breaksOthers() {
        return outcome == Outcome.COMPATIBLE && verdict != null && verdict.breaksOthers() && !staysUnused();
    }

    /**
     * Returns whether an administrator still has to act after the plan is carried out. Examples: no build of the module
     * loads, depmod chooses another file, or the build breaks other modules.
     */
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

    /** Returns whether a build in the kernel's own directory loads, so that the module needs no link. */
    public boolean isServed() {
        return own && outcome == Outcome.COMPATIBLE;
    }

    public boolean isGone() {
        return action == Action.UNLINK && verdict == null && !own || action == Action.BLOCKED && build.isEmpty();
    }

    boolean leavesDoubt() {
        return outcome == Outcome.UNDETERMINED && verdict != null && action != Action.LEAVE;
    }

    /**
     * The file that depmod chooses instead of the planned file.
     *
     * @param chosen the path of the chosen file, as seen inside the root directory
     * @param override the depmod.d(5) line that makes depmod choose the planned file; null if there is no such line
     * @param fixed true if the plan writes the override line
     */
    public record Unused(String chosen, @Nullable String override, boolean fixed) {}

    /** The planned action for a module on a kernel. The ids are part of the machine-readable output. */
    public enum Action implements StableId {
        KEEP,
        LINK,
        REPLACE,
        /**
         * The plan only removes links, for example because their targets would not load or no longer exist, or because
         * the kernel has its own build.
         */
        UNLINK,
        /** The module must be rebuilt for this kernel, because no existing build can be used. */
        REBUILD,
        /** DKMS has not built the module for this kernel yet. */
        BUILD,
        /**
         * The module stays without a usable build: all builds are for newer kernels, and the kernel is neither
         * requested nor next to boot.
         */
        LEAVE,
        /** A rebuild might not help; the administrator must act. */
        BLOCKED
    }

    /**
     * A set of modules that were installed together.
     *
     * @param name the package's name, else a directory such as {@code extra/foo}, else the module's name
     * @param product the id of the product that the rules assign to the unit; null if there is none
     */
    public record Unit(String name, @Nullable String product) {
        public String label() {
            return product == null ? name : product;
        }
    }
}
