package dev.weaklink.loader;

import dev.weaklink.loader.Selection.Decision;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Why candidates were not chosen: each is put into the chosen set, to see what happens. */
final class ExclusionReasons {
  private final SubsetScene scene;
  private final Builds builds;
  private final SymbolDependencies influence;
  private final Choice chosen;
  private final ChosenEnvironment world;
  private final Loader loader;

  ExclusionReasons(SubsetScene scene, Choice chosen, ChosenEnvironment world) {
    this.scene = scene;
    this.builds = scene.builds();
    this.influence = scene.influence();
    this.chosen = chosen;
    this.world = world;
    this.loader = new Loader(world.world());
  }

  /** What was decided about a candidate. */
  Decision decision(int candidate) {
    Candidate subject = builds.candidate(candidate);
    if (chosen.isChosen(candidate)) {
      return new Decision(subject, world.verdict(candidate), new TrialOutcome.Chosen());
    }
    if (isEasilyJudged(candidate)) {
      Verdict verdict = loader.judge(subject.module(), subject.name()).verdict();
      if (!subject.accepts(verdict) && chosenExporters(candidate, verdict, chosen).isEmpty()) {
        return new Decision(subject, verdict, new TrialOutcome.Refused());
      }
    }
    Trial trial = Trial.of(scene, chosen, candidate);
    Verdict verdict = trial.world().verdict(candidate);
    return new Decision(subject, verdict, fate(candidate, trial, verdict));
  }

  /** Whether it changes nothing that its own verdict depends on. */
  private boolean isEasilyJudged(int candidate) {
    int name = builds.nameOf(candidate);
    if (builds.candidate(candidate).group() != null
        || (chosen.isReplaced(name) && builds.unit(chosen.candidate(name)).size() > 1)) {
      return false;
    }
    BitSet used = new BitSet();
    for (int source : influence.sources(candidate)) {
      used.set(source);
    }
    return !influence.cone(used, chosen).get(name);
  }

  private TrialOutcome fate(int candidate, Trial trial, Verdict verdict) {
    if (trial.offenders().contains(candidate)) {
      List<Integer> with = keptOutBy(candidate, trial, verdict);
      return with.isEmpty() ? new TrialOutcome.Refused() : new TrialOutcome.Conflicts(with);
    }
    List<Integer> others = new ArrayList<>(trial.unit());
    others.retainAll(trial.offenders());
    if (!others.isEmpty()) {
      return new TrialOutcome.GroupFails(others);
    }
    if (trial.offenders().isEmpty()) {
      return trial.isGain()
          ? new TrialOutcome.NotTried()
          : new TrialOutcome.Outrivalled(trial.displaced());
    }
    return consequences(candidate, trial);
  }

  /** What its presence does to others. */
  private TrialOutcome consequences(int candidate, Trial trial) {
    BitSet mine = dependants(candidate, trial.choice());
    List<String> broken = new ArrayList<>();
    List<Integer> conflicts = new ArrayList<>();
    for (int offender : trial.offenders()) {
      if (mine.get(builds.nameOf(offender))) {
        if (builds.isCandidate(offender)) {
          conflicts.add(offender);
        } else {
          broken.add(builds.module(offender).name());
        }
      }
    }
    if (!conflicts.isEmpty()) {
      return new TrialOutcome.Conflicts(conflicts);
    }
    if (!broken.isEmpty()) {
      return new TrialOutcome.Breaks(broken);
    }
    List<Integer> because = blamed(trial);
    return because.isEmpty()
        ? new TrialOutcome.Outrivalled(trial.displaced())
        : new TrialOutcome.GroupFails(because);
  }

  /** The members of a group that offenders depend on. */
  private List<Integer> blamed(Trial trial) {
    List<Integer> because = new ArrayList<>();
    for (int build : trial.unit()) {
      BitSet dependants = dependants(build, trial.choice());
      for (int offender : trial.offenders()) {
        if (dependants.get(builds.nameOf(offender)) && !because.contains(build)) {
          because.add(build);
        }
      }
    }
    return because;
  }

  private BitSet dependants(int build, Choice choice) {
    BitSet name = new BitSet();
    name.set(builds.nameOf(build));
    return influence.dependants(name, choice);
  }

  /** Chosen candidates without which a refused one would load. */
  private List<Integer> keptOutBy(int candidate, Trial trial, Verdict verdict) {
    List<Integer> with = chosenExporters(candidate, verdict, trial.choice());
    if (with.isEmpty()) {
      return with;
    }
    Trial second = Trial.of(scene, trial.choice().without(with), List.of(candidate), with);
    return second.offenders().contains(candidate) ? List.of() : with;
  }

  /** Chosen candidates whose symbols are refused, but for its own group. */
  private List<Integer> chosenExporters(int candidate, Verdict verdict, Choice choice) {
    List<Integer> exporters = new ArrayList<>();
    for (Finding finding : verdict.findings()) {
      int name = finding.exporter() == null ? -1 : builds.number(finding.exporter());
      if (finding.effect() == Finding.Effect.REFUSES && name >= 0 && choice.isReplaced(name)) {
        int exporter = choice.candidate(name);
        if (!exporters.contains(exporter)) {
          exporters.add(exporter);
        }
      }
    }
    exporters.removeAll(builds.unit(candidate));
    exporters.sort(null);
    return exporters;
  }
}
