package dev.weaklink.links;

import dev.weaklink.check.Trust;
import dev.weaklink.links.plan.AuditedLink;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.LinkLayout;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.yaml.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesResult;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.system.DkmsReader;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.NextKernel;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks at the links of a root, and plans what should happen with them. */
public final class LinkManager {
  /**
   * Plans. What cannot be read is a problem of the result; a kernel that nothing is known of has no
   * plan.
   *
   * @throws IOException if the root itself cannot be used
   */
  public PlanResult plan(PlanRequest request) throws IOException {
    Root root = root(request);
    List<InputProblem> problems = new ArrayList<>();
    InputProblem interrupted = Interruption.in(root, problems);
    if (interrupted != null) {
      problems.add(interrupted);
    }
    Rules rules = rules(root, problems);
    if (rules == null) {
      return new PlanResult(root, new Plan(List.of()), false, interrupted != null, problems);
    }
    if (LinkLayouts.knowsNoLinks(root)) {
      return UnsupportedLayoutPlan.plan(request, root, problems);
    }
    List<String> releases = InstalledKernels.list(root);
    OutOfTreeBuilds offers = OutOfTreeBuilds.read(root, releases, request.reading(), problems);
    Products products = new Products(rules, offers.all(), DkmsReader.read(root));
    LinkLayout layout = LinkLayouts.of(root);
    Trust trust = request.trust(root, problems);
    List<KernelPlan> plans = new ArrayList<>();
    String next = NextKernel.of(root, installed(root, releases));
    if (request.kernels().isEmpty()) {
      problems.addAll(InstalledKernels.passedOver(root, InstalledKernels.newest(root, releases)));
    }
    for (String kernel : targets(request, root, releases, problems)) {
      boolean isWanted = !request.kernels().isEmpty() || kernel.equals(next);
      try {
        KernelPlan plan =
            new KernelPlanner(root, kernel, layout, products, trust, request, isWanted, problems)
                .plan(offers);
        if (plan != null) {
          plans.add(plan.withoutDepmod(ListedModules.unseen(root, kernel)));
        }
      } catch (IOException e) {
        problems.add(new InputProblem(kernel, IoReason.of(e)));
      }
    }
    return new PlanResult(root, new Plan(plans, next), false, interrupted != null, problems);
  }

  /** The rules in force; null if they are not in order: one of them could have forbidden it. */
  static @Nullable Rules rules(Root root, List<InputProblem> problems) {
    RulesResult result = RulesReader.read(root);
    if (result instanceof RulesResult.Bad bad) {
      for (RuleProblem problem : bad.problems()) {
        problems.add(new InputProblem(problem.place(), problem.message()));
      }
    }
    return result instanceof RulesResult.Good good ? good.rules() : null;
  }

  static Root root(PlanRequest request) throws IOException {
    return Root.of(request.root());
  }

  /**
   * Looks at the links of a root's kernels, those of kernels that are gone included.
   *
   * @throws IOException if the root itself cannot be used
   */
  public AuditResult audit(PlanRequest request) throws IOException {
    Root root = root(request);
    List<InputProblem> problems = new ArrayList<>();
    InputProblem interrupted = Interruption.in(root, problems);
    List<String> releases = InstalledKernels.list(root);
    OutOfTreeBuilds offers = OutOfTreeBuilds.read(root, releases, request.reading(), problems);
    Trust trust = request.trust(root, problems);
    List<String> linked = linked(root);
    Set<String> known = new LinkedHashSet<>(releases);
    known.addAll(linked);
    List<String> meant = request.among(List.copyOf(known), root, releases, problems);
    List<AuditedLink> links = new ArrayList<>();
    List<String> needsDepmod = new ArrayList<>();
    for (String release : linked) {
      if (meant.contains(release)) {
        try {
          LinkAuditor auditor = new LinkAuditor(root, release, offers);
          links.addAll(auditor.audit(trust, request.reading(), problems));
          if (auditor.needsDepmod(problems)) {
            needsDepmod.add(release);
          }
        } catch (IOException e) {
          problems.add(new InputProblem(release, IoReason.of(e)));
        }
      }
    }
    return new AuditResult(root, links, needsDepmod, interrupted, problems);
  }

  private static List<String> targets(
      PlanRequest request, Root root, List<String> releases, List<InputProblem> problems)
      throws IOException {
    // Who names a kernel means its directory, whatever is left of its package.
    List<String> there = request.kernels().isEmpty() ? installed(root, releases) : releases;
    return request.among(there, root, releases, problems);
  }

  private static List<String> installed(Root root, List<String> releases) throws IOException {
    List<String> installed = new ArrayList<>();
    for (String release : releases) {
      if (InstalledKernels.canBeBooted(root, release)) {
        installed.add(release);
      }
    }
    return installed;
  }

  /**
   * Directories of kernels, from old to new, that have a weak-updates, whether or not there still
   * is a kernel.
   *
   * @throws IOException if the modules' directory is there but cannot be listed
   */
  private static List<String> linked(Root root) throws IOException {
    List<String> linked = new ArrayList<>();
    for (String release : InstalledKernels.directories(root)) {
      ModulesDirectory directory = ModulesDirectory.find(root, release);
      if (directory != null
          && Files.exists(directory.host().resolve(WeakUpdates.NAME), LinkOption.NOFOLLOW_LINKS)) {
        linked.add(release);
      }
    }
    return linked;
  }
}
