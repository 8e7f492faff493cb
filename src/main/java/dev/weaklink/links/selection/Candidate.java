package dev.weaklink.links.selection;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import org.jspecify.annotations.Nullable;

/**
 * A module that may be linked into a target.
 *
 * @param module the facts of the build
 * @param group the group of candidates that are linked together or not at all; null for a candidate without a group
 * @param acceptUndetermined whether the module may be linked if its verdict is {@link Outcome#UNDETERMINED}; otherwise
 *     such a verdict counts as a refusal
 */
public record Candidate(KernelModule module, @Nullable String group, boolean acceptUndetermined) {
    /** Returns a candidate without a group, whose verdict must be {@link Outcome#COMPATIBLE}. */
    public static Candidate of(KernelModule module) {
        return new Candidate(module, null, false);
    }

    public String name() {
        return module.name();
    }

    boolean accepts(Verdict verdict) {
        return verdict.isAcceptable(acceptUndetermined);
    }
}
