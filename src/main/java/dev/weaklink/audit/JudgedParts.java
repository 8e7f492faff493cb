package dev.weaklink.audit;

import dev.weaklink.source.InputProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What came of some parts of a plan. Merging holds one of what is merged and the merged, in which
 * an answer that many sets get is held once.
 */
public final class JudgedParts {
  private static final Comparator<InputProblem> PROBLEMS =
      Comparator.comparing(InputProblem::subject).thenComparing(InputProblem::message);

  private final String plan;
  private final int of;
  private final SortedSet<Integer> parts = new TreeSet<>();

  /** By all that a target is known by. */
  private final Map<List<@Nullable Object>, TargetAnswers> targets = new LinkedHashMap<>();

  private final SortedSet<InputProblem> problems = new TreeSet<>(PROBLEMS);
  private final Map<SetAnswer, SetAnswer> distinct = new HashMap<>();

  /**
   * Nothing yet.
   *
   * @param plan its digest
   * @param of how many parts it has
   */
  public JudgedParts(String plan, int of) {
    this.plan = plan;
    this.of = of;
  }

  /** One part. */
  public static JudgedParts of(
      String plan,
      int of,
      int part,
      Collection<TargetAnswers> answers,
      Collection<InputProblem> problems) {
    JudgedParts one = new JudgedParts(plan, of);
    one.add(Set.of(part), answers, problems);
    return one;
  }

  /** Adds what came of parts; an answer that replaces another is the same. */
  public void add(
      Set<Integer> those, Collection<TargetAnswers> answers, Collection<InputProblem> met) {
    parts.addAll(those);
    problems.addAll(met);
    for (TargetAnswers target : answers) {
      Map<Integer, SetAnswer> known =
          targets.computeIfAbsent(key(target), key -> withoutAnswers(target)).answers();
      target
          .answers()
          .forEach((set, answer) -> known.put(set, distinct.computeIfAbsent(answer, one -> one)));
    }
  }

  /**
   * Adds others.
   *
   * @throws UnfitPartsException if they are of another plan, or one part is in both
   */
  public void add(JudgedParts others) throws UnfitPartsException {
    if (!plan.equals(others.plan) || of != others.of) {
      throw new UnfitPartsException("is of another plan");
    }
    for (int part : others.parts) {
      if (parts.contains(part)) {
        throw new UnfitPartsException("part " + part + " was given before");
      }
    }
    add(others.parts, others.targets.values(), others.problems);
  }

  private static List<@Nullable Object> key(TargetAnswers target) {
    return Arrays.asList(
        target.label(), target.release(), target.vermagic(), target.source(), target.notes());
  }

  private static TargetAnswers withoutAnswers(TargetAnswers target) {
    return new TargetAnswers(
        target.label(),
        target.release(),
        target.vermagic(),
        target.source(),
        target.notes(),
        new TreeMap<>());
  }

  /**
   * Requires all parts.
   *
   * @throws UnfitPartsException if one is missing
   */
  public void requireAll() throws UnfitPartsException {
    for (int part = 1; part <= of; part++) {
      if (!parts.contains(part)) {
        throw new UnfitPartsException(
            "part " + part + " of " + of + " is missing; " + parts.size() + " were given");
      }
    }
  }

  /** The digest of the plan. */
  public String plan() {
    return plan;
  }

  /** How many parts the plan has. */
  public int of() {
    return of;
  }

  /** Those that are in it. */
  public SortedSet<Integer> parts() {
    return parts;
  }

  /** What targets say to sets, by their places in the plan; in the order of a report. */
  public List<TargetAnswers> answers() {
    List<TargetAnswers> sorted = new ArrayList<>(targets.values());
    sorted.sort(AuditReportBuilder.TARGETS);
    return sorted;
  }

  /** What was wrong with files, sorted. */
  public SortedSet<InputProblem> problems() {
    return problems;
  }
}
