package dev.weaklink.loader;

import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.module.KernelModule;
import org.jspecify.annotations.Nullable;

/** A module in a {@link ModuleEnvironment}, and its state. */
final class Member {
    private final KernelModule module;
    private final boolean given;
    private @Nullable Verdict verdict;
    private boolean proprietary;
    private @Nullable String refusal;

    Member(KernelModule module, boolean given) {
        this.module = module;
        this.given = given;
    }

    KernelModule module() {
        return module;
    }

    String name() {
        return module.name();
    }

    /** Whether it is one of the modules being checked. */
    boolean given() {
        return given;
    }

    void judged(VerdictBuilder judgement) {
        verdict = judgement.verdict();
        proprietary = judgement.proprietary();
    }

    /** To be judged again. */
    void reset() {
        verdict = null;
        proprietary = false;
    }

    /** Null until it is judged, and for ever if it waits for itself. */
    @Nullable
    Verdict verdict() {
        return verdict;
    }

    /** The verdict of a member that has been judged. */
    Verdict verdictOrThrow() {
        if (verdict == null) {
            throw new IllegalStateException("not judged: " + name());
        }
        return verdict;
    }

    /** Whether it would be there for others to use. */
    boolean loads() {
        return verdict != null && verdict.outcome() != Outcome.INCOMPATIBLE;
    }

    boolean proprietary() {
        return proprietary;
    }

    /** What is said of every symbol it exports if it would not be there. */
    String refusal() {
        if (refusal == null) {
            refusal = "depends on " + name() + ", which would not load either";
        }
        return refusal;
    }

    Provider asProvider() {
        return new Provider(name(), module.origin().toString(), given);
    }
}
