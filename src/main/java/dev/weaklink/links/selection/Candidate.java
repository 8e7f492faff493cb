package dev.weaklink.links.selection;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import org.jspecify.annotations.Nullable;

/**
 * A build of a module that may be linked for the target kernel.
 *
 * @param module the facts of the build
 * @param group the name of the group of candidates that are linked together or not at all; null for a candidate without
 *     a group
 * @param acceptUndetermined true if the build may be linked although its verdict is {@link Outcome#UNDETERMINED};
 *     otherwise such a verdict counts as a refusal
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
