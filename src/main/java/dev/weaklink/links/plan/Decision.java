package dev.weaklink.links.plan;

import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Whether a build is to be linked, and why.
 *
 * @param chosen whether it is
 * @param outcome what the loader would say to it
 * @param verdict the loader's verdict in full, null if the file could not be read
 * @param reason one sentence
 * @param blocker what keeps it from being linked whatever the loader says; null if nothing does
 * @param note what a rule has to say about linking it; null if nothing
 */
public record Decision(
        boolean chosen,
        Outcome outcome,
        @Nullable Verdict verdict,
        String reason,
        @Nullable LinkBlocker blocker,
        @Nullable String note) {
    /** One that only the loader has a say in. */
    public static Decision of(boolean chosen, Outcome outcome, @Nullable Verdict verdict, String reason) {
        return new Decision(chosen, outcome, verdict, reason, null, null);
    }

    /** The same, kept from being linked. */
    public Decision blockedBy(LinkBlocker why, String words) {
        return new Decision(false, outcome, verdict, words, why, note);
    }

    /** The same with something added to be said. */
    public Decision noting(@Nullable String words) {
        return new Decision(chosen, outcome, verdict, reason, blocker, words);
    }

    /** Why a build is not linked, although that need not be the loader's doing; and what then. */
    public enum LinkBlocker {
        /** Others that it must not be without cannot be linked: its own links go, too. */
        INCOMPLETE(Action.REBUILD, true),
        /** Others that depend on it, or it on them, cannot be linked; a link that exists stays. */
        PARTIAL(Action.REBUILD, false),
        /**
         * Modules of the kernel would no longer load with it: a link goes that depmod has not seen, before it is put
         * into effect; one that is in effect stays.
         */
        BREAKING(Action.BLOCKED, false),
        /** A module that it must not be without is nowhere: its own links go, too. */
        LACKING(Action.BLOCKED, true),
        /** A rule wants it rebuilt; a link that exists stays. */
        REBUILT(Action.REBUILD, false),
        /** DKMS builds it for every kernel; a link that exists stays. */
        BUILT_BY_DKMS(Action.BUILD, false),
        /** A rule keeps it away, or leaves it to the administrator; a link that exists stays. */
        WITHHELD(Action.BLOCKED, false);

        private final Action action;
        private final boolean removesLinks;

        LinkBlocker(Action action, boolean removesLinks) {
            this.action = action;
            this.removesLinks = removesLinks;
        }

        /** What is to be done where there is no link. */
        Action action() {
            return action;
        }

        /** Whether a link that exists has to go. */
        boolean removesLinks() {
            return removesLinks;
        }
    }
}
