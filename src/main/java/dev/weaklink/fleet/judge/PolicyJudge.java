package dev.weaklink.fleet.judge;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.CheckTarget;
import dev.weaklink.check.Judge;
import dev.weaklink.check.SetSignatures;
import dev.weaklink.fleet.SetResult;
import dev.weaklink.fleet.judge.AuditJudge.SetFacts;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges module sets on one target, according to their nodes' policy for modules that the kernel cannot trust. Not
 * thread-safe.
 */
final class PolicyJudge {
    private static final String NOT_TOLD =
            "would be refused if the kernel is locked down, as most kernels are under Secure Boot; the node did not"
                    + " report its lockdown state: mount securityfs on the node and collect again";

    private final CheckTarget target;
    private final SetSignatures.OnTarget signatures;
    private final ExportRowCache rows;
    private final int threads;
    private final CauseSource.@Nullable TargetCauses explainer;

    PolicyJudge(
            CheckTarget target, SetSignatures signatures, int threads, CauseSource.@Nullable TargetCauses explainer) {
        this.explainer = explainer;
        this.target = target;
        this.signatures = signatures.on(target);
        this.rows = new ExportRowCache(target.kernel().exports());
        this.threads = threads;
    }

    SetResult ask(SetFacts facts) {
        return switch (facts.policy()) {
            case PERMISSIVE -> SetResult.of(verdicts(target, facts), facts.unknown());
            case LOCKDOWN -> SetResult.of(verdicts(on("lockdown"), facts), facts.unknown());
            case ENFORCED -> SetResult.of(verdicts(on("enforced"), facts), facts.unknown());
            case SECURE_BOOT -> ifLockedDown(facts);
        };
    }

    private CheckTarget on(String policy) {
        return signatures.insisting(policy);
    }

    /**
     * Judges a set twice, without and with lockdown. A module that the kernel would refuse only under lockdown is
     * undetermined.
     */
    private SetResult ifLockedDown(SetFacts facts) {
        List<Verdict> free = verdicts(target, facts);
        List<Verdict> locked = verdicts(on("lockdown"), facts);
        List<Verdict> certain = new ArrayList<>();
        SortedMap<String, String> unknown = new TreeMap<>(facts.unknown());
        for (int i = 0; i < free.size(); i++) {
            Verdict verdict = free.get(i);
            Outcome outcome = locked.get(i).outcome();
            if (verdict.outcome() == Outcome.INCOMPATIBLE || outcome == verdict.outcome()) {
                certain.add(verdict);
            } else if (outcome == Outcome.UNDETERMINED) {
                certain.add(locked.get(i));
            } else {
                unknown.put(verdict.module().name(), NOT_TOLD);
            }
        }
        return SetResult.of(certain, unknown);
    }

    private List<Verdict> verdicts(CheckTarget on, SetFacts facts) {
        boolean insists = insists(on.kernel());
        List<Verdict> verdicts = Judge.withReplaced(
                on,
                insists ? signatures.proven(facts.known()) : facts.known(),
                facts.unknown().keySet(),
                rows,
                threads);
        return explainer == null ? verdicts : explainer.explain(verdicts);
    }

    private boolean insists(TargetKernel kernel) {
        return !kernel.rules().is(LoaderRule.SIGNATURES, "no")
                && !kernel.rules().is(LoaderRule.SIGNATURE_POLICY, "permissive");
    }
}
