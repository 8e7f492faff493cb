package dev.weaklink.manage;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.load.KernelRows;
import dev.weaklink.load.LoadSet;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import dev.weaklink.manage.Offers.Offer;
import dev.weaklink.module.KernelModule;
import dev.weaklink.plan.Candidate;
import dev.weaklink.plan.KernelPlan;
import dev.weaklink.plan.LinkLayout;
import dev.weaklink.plan.OwnBuild;
import dev.weaklink.plan.Planner;
import dev.weaklink.plan.Situation;
import dev.weaklink.report.InputProblem;
import dev.weaklink.report.VerdictReason;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleTree;
import dev.weaklink.tree.TreeProblem;
import dev.weaklink.tree.WeakLink;
import dev.weaklink.tree.WeakUpdates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks at one installed kernel and plans what should happen on it. */
final class KernelPlanner {
  private final Root root;
  private final String release;
  private final LinkLayout layout;
  private final ReadOptions reading;
  private final List<InputProblem> problems;

  KernelPlanner(
      Root root,
      String release,
      LinkLayout layout,
      ReadOptions reading,
      List<InputProblem> problems) {
    this.root = root;
    this.release = release;
    this.layout = layout;
    this.reading = reading;
    this.problems = problems;
  }

  /**
   * Plans.
   *
   * @return null if nothing is known of the kernel that modules could be judged by
   * @throws IOException if its directory cannot be read
   */
  @Nullable KernelPlan plan(Offers offers) throws IOException {
    WeakUpdates weak = WeakUpdates.scan(root, release);
    ModuleTree tree = ModuleTree.scan(root, release);
    report(tree.problems());
    report(weak.problems());
    ModuleTree ownTree = tree.changed(file -> isLinked(file, weak.links()), List.of());
    List<Offer> own = offers.of(release);
    List<Offer> others = withoutOwnNames(offers.forKernel(release), own);
    if (own.isEmpty() && others.isEmpty() && weak.links().isEmpty()) {
      return new KernelPlan(release, List.of());
    }
    KernelView view = KernelView.open(root, release, ownTree, reading, problems);
    if (view == null) {
      return null;
    }
    Choice choice = Choice.make(view, others, tree.directory(), reading.threads());
    Situation situation =
        new Situation(
            release,
            ownBuilds(view, own, others, choice),
            candidates(others, choice, weak.links(), tree.directory().inside()),
            weak.links());
    for (var failure : view.failures().entrySet()) {
      problems.add(new InputProblem(failure.getKey(), failure.getValue()));
    }
    return DepmodAdvice.add(Planner.plan(situation), tree);
  }

  private void report(List<TreeProblem> met) {
    for (TreeProblem problem : met) {
      problems.add(new InputProblem(problem.subject(), problem.message()));
    }
  }

  private static boolean isLinked(ModuleFile file, List<WeakLink> links) {
    for (WeakLink link : links) {
      if (link.leadsTo(file)) {
        return true;
      }
    }
    return false;
  }

  /** A module that was built for the kernel itself needs no link. */
  private static List<Offer> withoutOwnNames(List<Offer> others, List<Offer> own) {
    Set<String> names = new HashSet<>();
    for (Offer offer : own) {
      names.add(offer.build().name());
    }
    List<Offer> left = new ArrayList<>();
    for (Offer offer : others) {
      if (!names.contains(offer.build().name())) {
        left.add(offer);
      }
    }
    return left;
  }

  private List<Candidate> candidates(
      List<Offer> offers, Choice choice, List<WeakLink> links, String directory) {
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < offers.size(); i++) {
      Offer offer = offers.get(i);
      candidates.add(
          new Candidate(
              offer.build().name(),
              offer.unit(),
              offer.build().release(),
              offer.build().inside(),
              directory + "/" + layout.place(offer.build()),
              present(offer, links),
              choice.decision(i)));
    }
    return candidates;
  }

  private static List<WeakLink> present(Offer offer, List<WeakLink> links) {
    List<WeakLink> present = new ArrayList<>();
    for (WeakLink link : links) {
      if (offer.build().host().equals(link.host()) && link.name().equals(offer.build().name())) {
        present.add(link);
      }
    }
    return present;
  }

  /** Builds in the kernel's own directory, judged as they would find things after the plan. */
  private List<OwnBuild> ownBuilds(
      KernelView view, List<Offer> own, List<Offer> others, Choice choice) {
    List<KernelModule> given = new ArrayList<>();
    Set<String> unreadable = new HashSet<>(view.unreadable());
    for (Offer offer : own) {
      if (offer.failure() == null) {
        given.add(offer.module());
      } else {
        unreadable.add(offer.build().name());
      }
    }
    int readable = given.size();
    for (int i = 0; i < others.size(); i++) {
      if (choice.decision(i).chosen()) {
        given.add(others.get(i).module());
      }
    }
    KernelRows rows = new KernelRows(view.kernel().exports());
    rows.prepare(given, reading.threads());
    List<Verdict> verdicts =
        readable == 0
            ? List.of()
            : LoadSet.together(
                view.kernel(),
                given,
                view.neededBy(given, rows),
                unreadable,
                rows,
                reading.threads());
    return ownBuilds(own, verdicts);
  }

  private static List<OwnBuild> ownBuilds(List<Offer> own, List<Verdict> verdicts) {
    List<OwnBuild> builds = new ArrayList<>();
    int next = 0;
    for (Offer offer : own) {
      String failure = offer.failure();
      Verdict verdict = failure == null ? verdicts.get(next++) : null;
      builds.add(
          new OwnBuild(
              offer.build().name(),
              offer.unit(),
              offer.build().inside(),
              verdict == null ? Outcome.UNDETERMINED : verdict.outcome(),
              verdict,
              verdict == null ? String.valueOf(failure) : VerdictReason.of(verdict)));
    }
    return builds;
  }
}
