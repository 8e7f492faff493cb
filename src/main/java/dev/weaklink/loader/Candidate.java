package dev.weaklink.loader;

import dev.weaklink.module.KernelModule;
import org.jspecify.annotations.Nullable;

/**
 * A module that may be linked into a target.
 *
 * @param module the build
 * @param group candidates with the same group are linked all or not at all; null if it stands for itself
 * @param acceptUndetermined whether it may be linked if its verdict is {@link Outcome#UNDETERMINED}; otherwise that
 *     counts as refused
 */
public record Candidate(KernelModule module, @Nullable String group, boolean acceptUndetermined) {
    /** A candidate that stands for itself and has to be proven to load. */
    public static Candidate of(KernelModule module) {
        return new Candidate(module, null, false);
    }

    /** Name of the module. */
    public String name() {
        return module.name();
    }

    /** Whether a verdict is good enough to link this candidate. */
    boolean accepts(Verdict verdict) {
        return switch (verdict.outcome()) {
            case COMPATIBLE -> true;
            case UNDETERMINED -> acceptUndetermined;
            case INCOMPATIBLE -> false;
        };
    }
}
