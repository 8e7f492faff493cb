package dev.weaklink.audit;

import dev.weaklink.audit.AuditReport.Target;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What came of some parts of a plan. An answer that many sets get is kept once. */
public final class JudgedParts {
  private static final Comparator<InputProblem> PROBLEMS =
      Comparator.comparing(InputProblem::subject).thenComparing(InputProblem::message);

  private final AnswerStore store;
  private String plan = "";
  private int of;
  private final SortedSet<Integer> parts = new TreeSet<>();

  private final Map<Target, NumberedAnswers> targets = new LinkedHashMap<>();

  private final SortedSet<InputProblem> problems = new TreeSet<>(PROBLEMS);

  /** Nothing yet; answers go where they have numbers. */
  public JudgedParts(AnswerStore store) {
    this.store = store;
  }

  /**
   * Says which parts are added.
   *
   * @param met what was wrong with files
   * @return why they do not fit to earlier ones, null if they do
   */
  public @Nullable String begin(
      String plan, int of, Set<Integer> those, Collection<InputProblem> met) {
    if (!this.plan.isEmpty() && (!plan.equals(this.plan) || of != this.of)) {
      return "is of another plan";
    }
    for (int part : those) {
      if (!parts.add(part)) {
        return "part " + part + " was given before";
      }
    }
    this.plan = plan;
    this.of = of;
    problems.addAll(met);
    return null;
  }

  /** Where the answers of this target belong, those it has left aside; one may be replaced. */
  public NumberedAnswers on(Target target) {
    return targets.computeIfAbsent(target, key -> new NumberedAnswers(store));
  }

  /** Which part is missing, in a sentence; null if none is. */
  public @Nullable String missing() {
    for (int part = 1; part <= of; part++) {
      if (!parts.contains(part)) {
        return "part " + part + " of " + of + " is missing; " + parts.size() + " were given";
      }
    }
    return null;
  }

  /** Where answers have numbers. */
  public AnswerStore store() {
    return store;
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
    List<TargetAnswers> sorted = new ArrayList<>();
    targets.forEach((target, answers) -> sorted.add(new TargetAnswers(target, answers)));
    sorted.sort(AuditReportBuilder.TARGETS);
    return sorted;
  }

  /** What was wrong with files, sorted. */
  public SortedSet<InputProblem> problems() {
    return problems;
  }
}
