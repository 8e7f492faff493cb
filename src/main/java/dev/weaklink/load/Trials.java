package dev.weaklink.load;

import dev.weaklink.load.Selection.Decision;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Why candidates were not chosen: each is put into the chosen set, to see what happens. */
final class Trials {
  private final Builds builds;
  private final Influence influence;
  private final Laws laws;
  private final KernelRows rows;
  private final Choice chosen;
  private final ChoiceWorld world;

  Trials(
      Builds builds,
      Influence influence,
      Laws laws,
      KernelRows rows,
      Choice chosen,
      ChoiceWorld world) {
    this.builds = builds;
    this.influence = influence;
    this.laws = laws;
    this.rows = rows;
    this.chosen = chosen;
    this.world = world;
  }

  /** What was decided about a candidate. */
  Decision decision(int candidate) {
    Candidate subject = builds.candidate(candidate);
    if (chosen.isChosen(candidate)) {
      return new Decision(subject, world.verdict(candidate), new Fate.Chosen());
    }
    List<Integer> unit = builds.unit(candidate);
    List<Integer> displaced = displacedBy(unit);
    Trial trial = trial(chosen.without(displaced).with(unit), unit, displaced);
    Verdict verdict = trial.world.verdict(candidate);
    return new Decision(subject, verdict, fate(candidate, unit, displaced, trial, verdict));
  }

  /** A choice tried, and who offends in it. */
  private record Trial(Choice choice, ChoiceWorld world, BitSet names, List<Integer> offenders) {}

  /** Judges a choice as far as it can differ from the chosen set. */
  private Trial trial(Choice choice, List<Integer> added, List<Integer> removed) {
    BitSet changed = new BitSet();
    added.forEach(build -> changed.set(builds.nameOf(build)));
    removed.forEach(build -> changed.set(builds.nameOf(build)));
    BitSet names = influence.cone(influence.dependants(changed, choice), choice);
    ChoiceWorld tried = ChoiceWorld.of(builds, choice, names, rows, 1);
    return new Trial(choice, tried, names, laws.offenders(tried, choice, names));
  }

  /** Chosen candidates that have to go for these: other builds of their names, and their groups. */
  private List<Integer> displacedBy(List<Integer> unit) {
    BitSet displaced = new BitSet();
    for (int build : unit) {
      int name = builds.nameOf(build);
      if (chosen.isReplaced(name)) {
        builds.unit(chosen.candidate(name)).forEach(displaced::set);
      }
    }
    return list(displaced);
  }

  private Fate fate(
      int candidate, List<Integer> unit, List<Integer> displaced, Trial trial, Verdict verdict) {
    BitSet offending = new BitSet();
    trial.offenders.forEach(offending::set);
    if (offending.get(candidate)) {
      List<Integer> with = keptOut(candidate, trial, verdict);
      return with.isEmpty() ? new Fate.Refused() : new Fate.Conflicts(with);
    }
    List<Integer> others = new ArrayList<>();
    for (int build : unit) {
      if (offending.get(build)) {
        others.add(build);
      }
    }
    if (!others.isEmpty()) {
      return new Fate.GroupFails(others);
    }
    return consequences(candidate, unit, displaced, trial);
  }

  /** What its presence does to others. */
  private Fate consequences(
      int candidate, List<Integer> unit, List<Integer> displaced, Trial trial) {
    if (trial.offenders.isEmpty()) {
      return displaced.isEmpty() ? new Fate.NotTried() : new Fate.Outrivalled(displaced);
    }
    BitSet mine = dependants(candidate, trial.choice);
    List<String> broken = new ArrayList<>();
    List<Integer> conflicts = new ArrayList<>();
    for (int offender : trial.offenders) {
      if (mine.get(builds.nameOf(offender))) {
        if (builds.isCandidate(offender)) {
          conflicts.add(offender);
        } else {
          broken.add(builds.module(offender).name());
        }
      }
    }
    if (!conflicts.isEmpty()) {
      return new Fate.Conflicts(conflicts);
    }
    return broken.isEmpty() ? blame(unit, trial) : new Fate.Breaks(broken);
  }

  /** The members of a group that offenders depend on. */
  private Fate blame(List<Integer> unit, Trial trial) {
    List<Integer> because = new ArrayList<>();
    for (int build : unit) {
      BitSet dependants = dependants(build, trial.choice);
      for (int offender : trial.offenders) {
        if (dependants.get(builds.nameOf(offender)) && !because.contains(build)) {
          because.add(build);
        }
      }
    }
    return new Fate.GroupFails(because);
  }

  private BitSet dependants(int build, Choice choice) {
    BitSet name = new BitSet();
    name.set(builds.nameOf(build));
    return influence.dependants(name, choice);
  }

  /** Chosen candidates without which a refused one would load. */
  private List<Integer> keptOut(int candidate, Trial trial, Verdict verdict) {
    BitSet exporters = new BitSet();
    for (Finding finding : verdict.findings()) {
      int name = finding.exporter() == null ? -1 : builds.number(finding.exporter());
      if (finding.effect() == Finding.Effect.REFUSES
          && name >= 0
          && trial.choice.isReplaced(name)) {
        exporters.set(trial.choice.candidate(name));
      }
    }
    builds.unit(candidate).forEach(exporters::clear);
    List<Integer> with = list(exporters);
    if (with.isEmpty()) {
      return with;
    }
    Choice without = trial.choice.without(with);
    Trial second = trial(without, List.of(candidate), with);
    return second.offenders.contains(candidate) ? List.of() : with;
  }

  private static List<Integer> list(BitSet numbers) {
    List<Integer> list = new ArrayList<>();
    numbers.stream().forEach(list::add);
    return list;
  }
}
