package dev.weaklink.check;

import dev.weaklink.audit.SetAnswer;
import dev.weaklink.audit.ToldModule;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.load.KernelRows;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one target says to sets of modules, by what their nodes do with modules that are not to be
 * trusted. For one thread.
 */
final class PolicyJudge {
  private static final String NOT_TOLD =
      "would be refused if its kernel were locked down, which Secure Boot makes most do and its node"
          + " does not tell; have securityfs mounted there and collect anew";

  private final OpenTarget target;
  private final SetSignatures.OnTarget signatures;
  private final KernelRows rows;
  private final int threads;

  PolicyJudge(OpenTarget target, SetSignatures signatures, int threads) {
    this.target = target;
    this.signatures = signatures.on(target);
    this.rows = new KernelRows(target.kernel().exports());
    this.threads = threads;
  }

  /** What is said to a set. */
  SetAnswer ask(SetFacts facts) {
    return switch (facts.policy()) {
      case PERMISSIVE -> answer(facts, verdicts(target, facts), facts.unknown());
      case LOCKDOWN -> answer(facts, verdicts(on("lockdown"), facts), facts.unknown());
      case ENFORCED -> answer(facts, verdicts(on("enforced"), facts), facts.unknown());
      case SECURE_BOOT -> ifLockedDown(facts);
    };
  }

  /** The target as nodes with this policy would run it, unless it insists by itself. */
  private OpenTarget on(String policy) {
    return signatures.insisting(new MachinePolicy(policy, "told by its nodes", null));
  }

  /** What both policies say is so; of what only a kernel that is locked down refuses it is not. */
  private SetAnswer ifLockedDown(SetFacts facts) {
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
    return answer(facts, certain, unknown);
  }

  private static SetAnswer answer(
      SetFacts facts, List<Verdict> verdicts, SortedMap<String, String> unknown) {
    List<String> unchecked = facts.told() ? ToldModule.UNCHECKED : List.of();
    return SetAnswer.of(verdicts, unknown, unchecked, facts.exportsKnown());
  }

  private List<Verdict> verdicts(OpenTarget on, SetFacts facts) {
    boolean insists = insists(on.kernel().rules());
    OpenTarget judging = facts.told() ? ToldTarget.of(on, insists, facts.exportsKnown()) : on;
    return Judge.together(
        judging,
        insists ? signatures.proven(facts.known()) : facts.known(),
        facts.unknown().keySet(),
        rows,
        threads);
  }

  private static boolean insists(LoaderRules rules) {
    return !rules.is(LoaderRule.SIGNATURES, "no")
        && !rules.is(LoaderRule.SIGNATURE_POLICY, "permissive");
  }
}
