package dev.weaklink.links.plan;

import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The decision whether a build is linked, with its reason.
 *
 * @param chosen true if the build is to be linked
 * @param outcome the verdict's outcome; {@code UNDETERMINED} if there is no verdict
 * @param verdict the loader's whole verdict, null if there is none
 * @param reason the reason in one sentence
 * @param blocker a reason, apart from the loader's verdict, not to link the build; null if there is none
 * @param note a rule's remark about linking the build, null if there is none
 */
public record Decision(
        boolean chosen,
        Outcome outcome,
        @Nullable Verdict verdict,
        String reason,
        @Nullable LinkBlocker blocker,
        @Nullable String note) {
    public static Decision of(boolean chosen, Outcome outcome, @Nullable Verdict verdict, String reason) {
        return new Decision(chosen, outcome, verdict, reason, null, null);
    }

    public Decision blockedBy(LinkBlocker why, String words) {
        return new Decision(false, outcome, verdict, words, why, note);
    }

    public Decision noting(@Nullable String words) {
        return new Decision(chosen, outcome, verdict, reason, blocker, words);
    }

    /** A reason, apart from the loader's verdict, not to link a build; with the resulting action. */
    public enum LinkBlocker {
        /**
         * The build is useless without other modules, which cannot be linked; existing links to the build are removed.
         */
        INCOMPLETE(Action.REBUILD, true),
        /**
         * The build depends on modules that cannot be linked, or modules that cannot be linked depend on the build;
         * existing links stay.
         */
        PARTIAL(Action.REBUILD, false),
        /**
         * The link would keep modules of the kernel from loading. A link that depmod has not listed yet is removed
         * before it takes effect; a link in effect stays.
         */
        BREAKING(Action.BLOCKED, false),
        /** A module that the build's product requires is missing; existing links to the build are removed. */
        LACKING(Action.BLOCKED, true),
        /** A rule refuses the build, so the module must be rebuilt; existing links stay. */
        REBUILT(Action.REBUILD, false),
        /** DKMS builds the module for every kernel; existing links stay. */
        BUILT_BY_DKMS(Action.BUILD, false),
        /** The build is excluded, for example by a rule, or the administrator must decide; existing links stay. */
        WITHHELD(Action.BLOCKED, false);

        private final Action action;
        private final boolean removesLinks;

        LinkBlocker(Action action, boolean removesLinks) {
            this.action = action;
            this.removesLinks = removesLinks;
        }

        Action action() {
            return action;
        }

        boolean removesLinks() {
            return removesLinks;
        }
    }
}
