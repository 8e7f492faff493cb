package dev.weaklink.loader;

import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.module.KernelModule;
import org.jspecify.annotations.Nullable;

/** A module in a {@link ModuleEnvironment}, with its verdict. */
public final class EnvironmentMember {
    private final KernelModule module;
    private final boolean given;
    private @Nullable Verdict verdict;
    private boolean proprietary;
    private @Nullable String refusal;

    public EnvironmentMember(KernelModule module, boolean given) {
        this.module = module;
        this.given = given;
    }

    public KernelModule module() {
        return module;
    }

    public String name() {
        return module.name();
    }

    public boolean given() {
        return given;
    }

    void judged(VerdictBuilder judgement) {
        verdict = judgement.verdict();
        proprietary = judgement.proprietary();
    }

    void reset() {
        verdict = null;
        proprietary = false;
    }

    @Nullable
    Verdict verdict() {
        return verdict;
    }

    public Verdict verdictOrThrow() {
        if (verdict == null) {
            throw new IllegalStateException("not judged: " + name());
        }
        return verdict;
    }

    boolean loads() {
        return verdict != null && verdict.outcome() != Outcome.INCOMPATIBLE;
    }

    boolean proprietary() {
        return proprietary;
    }

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
