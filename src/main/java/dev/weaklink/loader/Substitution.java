package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What would happen if a candidate, with its group, were put into a chosen set.
 *
 * @param unit the candidate and its group
 * @param displaced chosen candidates that have to go: other builds of these names, and their groups
 * @param choice the set that would be
 * @param environment as much of its environment as can differ
 * @param violators who breaks the invariants in it
 */
record Substitution(
    List<Integer> unit,
    List<Integer> displaced,
    Choice choice,
    ChosenEnvironment environment,
    List<Integer> violators) {

  /** Puts a candidate into a set that obeys the invariants. */
  static Substitution of(SubsetScene scene, Choice chosen, int candidate) {
    List<Integer> unit = scene.builds().unit(candidate);
    List<Integer> displaced = displaced(scene.builds(), chosen, unit);
    return of(scene, chosen.without(displaced).with(unit), unit, displaced);
  }

  /**
   * Judges a set that differs in these from one that obeys the invariants, as far as it matters.
   */
  static Substitution of(
      SubsetScene scene, Choice choice, List<Integer> added, List<Integer> removed) {
    BitSet changed = new BitSet();
    added.forEach(build -> changed.set(scene.builds().nameOf(build)));
    removed.forEach(build -> changed.set(scene.builds().nameOf(build)));
    SymbolDependencies influence = scene.influence();
    BitSet names = influence.cone(influence.dependants(changed, choice), choice);
    ChosenEnvironment environment =
        ChosenEnvironment.of(scene.builds(), choice, names, scene.rows(), 1);
    return new Substitution(
        added,
        removed,
        choice,
        environment,
        scene.invariants().violators(environment, choice, names));
  }

  private static List<Integer> displaced(Builds builds, Choice chosen, List<Integer> unit) {
    BitSet displaced = new BitSet();
    for (int build : unit) {
      int name = builds.nameOf(build);
      if (chosen.isReplaced(name)) {
        builds.unit(chosen.candidate(name)).forEach(displaced::set);
      }
    }
    List<Integer> list = new ArrayList<>();
    displaced.stream().forEach(list::add);
    return list;
  }

  /** Whether the set would only grow, and obey the invariants. */
  boolean isGain() {
    return displaced.isEmpty() && violators.isEmpty();
  }
}
