package dev.weaklink.loader;

import java.util.List;

/**
 * What {@link BestSubset} decided about a candidate, and why. Other candidates are named by their
 * index in {@link SubsetQuestion#candidates()}, in rising order.
 *
 * <p>Where a candidate is not chosen, the reason is what would happen if it (with its group) were
 * put into the chosen set after all, in the place of other builds of the same names; the first of
 * the reasons below that holds is given.
 */
public sealed interface TrialOutcome {
  /** It is in the chosen set, and loads there. */
  record Chosen() implements TrialOutcome {}

  /**
   * The loader would refuse it, or its verdict stays open where that is not accepted; the verdict
   * says why.
   */
  record Refused() implements TrialOutcome {}

  /**
   * It conflicts with chosen candidates: it would load without them, or they would not load beside
   * it.
   *
   * @param with the chosen ones
   */
  record Conflicts(List<Integer> with) implements TrialOutcome {}

  /**
   * Own modules of the target that load today would no longer load.
   *
   * @param own their names, sorted
   */
  record Breaks(List<String> own) implements TrialOutcome {}

  /**
   * Others of its group cannot be linked.
   *
   * @param because those of the group that fail, or whose linking would break something
   */
  record GroupFails(List<Integer> because) implements TrialOutcome {}

  /**
   * Another build of the same name was chosen, or others of the same names as the rest of its group
   * has.
   *
   * @param chosen these builds
   */
  record Outrivalled(List<Integer> chosen) implements TrialOutcome {}

  /**
   * The search was cut short before this one could be placed; only where {@link
   * Selection#largest()} is false.
   */
  record NotTried() implements TrialOutcome {}
}
