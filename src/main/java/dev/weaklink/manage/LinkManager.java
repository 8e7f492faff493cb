package dev.weaklink.manage;

import dev.weaklink.check.Trust;
import dev.weaklink.links.Change;
import dev.weaklink.links.HistoryEntry;
import dev.weaklink.links.InitramfsStep;
import dev.weaklink.links.LinkTransaction;
import dev.weaklink.links.PathChange;
import dev.weaklink.links.TransactionException;
import dev.weaklink.links.TransactionListener;
import dev.weaklink.links.TransactionOutcome;
import dev.weaklink.links.TransactionRunner;
import dev.weaklink.links.TransactionSettings;
import dev.weaklink.links.UndoRequest;
import dev.weaklink.plan.AuditedLink;
import dev.weaklink.plan.KernelPlan;
import dev.weaklink.plan.LinkDefect;
import dev.weaklink.plan.LinkEdit;
import dev.weaklink.plan.LinkLayout;
import dev.weaklink.plan.Plan;
import dev.weaklink.report.InputProblem;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.yaml.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesResult;
import dev.weaklink.source.InstalledKernels;
import dev.weaklink.source.NextKernel;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModulesDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Plans what should happen on the kernels of a root. */
public final class LinkManager {
  /**
   * Plans. What cannot be read is a problem of the result; a kernel that nothing is known of has no
   * plan.
   *
   * @throws IOException if the root itself cannot be used
   */
  public PlanResult plan(PlanRequest request) throws IOException {
    Root root = request.root() == null ? Root.HOST : Root.of(request.root());
    List<InputProblem> problems = new ArrayList<>();
    Rules rules = rules(root, problems);
    if (rules == null) {
      return new PlanResult(root, new Plan(List.of()), problems);
    }
    if (Layouts.knowsNoLinks(root)) {
      return Linkless.plan(request, root, problems);
    }
    List<String> releases = InstalledKernels.list(root);
    Offers offers = Offers.read(root, releases, request.reading(), problems);
    Products products = new Products(rules, offers.all());
    LinkLayout layout = Layouts.of(root);
    Trust trust = request.trust(root, problems);
    List<KernelPlan> plans = new ArrayList<>();
    String next = NextKernel.of(root, installed(root, releases));
    for (String kernel : targets(request, root, releases, problems)) {
      boolean isWanted = !request.kernels().isEmpty() || kernel.equals(next);
      try {
        KernelPlan plan =
            new KernelPlanner(root, kernel, layout, products, trust, request, isWanted, problems)
                .plan(offers);
        if (plan != null) {
          plans.add(plan);
        }
      } catch (IOException e) {
        problems.add(new InputProblem(kernel, IoReason.of(e)));
      }
    }
    return new PlanResult(root, new Plan(plans, next), problems);
  }

  /** The rules in force; null if they are not in order: one of them could have forbidden it. */
  private static @Nullable Rules rules(Root root, List<InputProblem> problems) {
    RulesResult result = RulesReader.read(root);
    if (result instanceof RulesResult.Bad bad) {
      for (RuleProblem problem : bad.problems()) {
        problems.add(new InputProblem(problem.place(), problem.message()));
      }
    }
    return result instanceof RulesResult.Good good ? good.rules() : null;
  }

  /**
   * Carries out a plan as one transaction.
   *
   * @param title the words of the command line, for the history
   * @throws TransactionException if it was refused or failed; says in what state the root is
   */
  public TransactionOutcome apply(
      PlanResult result, String title, boolean initramfs, TransactionListener listener)
      throws TransactionException {
    List<Change> changes = new ArrayList<>();
    ChangedModules changed = new ChangedModules();
    for (KernelPlan kernel : result.plan().kernels()) {
      for (LinkEdit edit : kernel.edits()) {
        changes.add(change(edit));
        changed.add(edit.path());
      }
    }
    Set<String> kernels = new TreeSet<>(changed.kernels());
    kernels.addAll(result.plan().mendedKernels());
    List<String> overrides = result.plan().overrides();
    if (!overrides.isEmpty()) {
      changes.add(new Change.AddLines(Change.OVERRIDES, overrides));
    }
    List<InitramfsStep> images = initramfs ? changed.renewals(result.root(), listener) : List.of();
    return new TransactionRunner(result.root(), TransactionSettings.DEFAULT, listener)
        .run(new LinkTransaction(title, changes, List.copyOf(kernels), images));
  }

  /**
   * Puts back what was there before a transaction, as a transaction of its own.
   *
   * @param force whether links that others have changed since are put back, too
   * @throws TransactionException if it was refused or failed; says in what state the root is
   */
  public TransactionOutcome undo(
      Root root, HistoryEntry entry, boolean force, boolean initramfs, TransactionListener listener)
      throws TransactionException {
    ChangedModules changed = new ChangedModules();
    for (PathChange change : entry.changes()) {
      if (change.isLink()) {
        changed.add(change.path());
      }
    }
    List<InitramfsStep> images = initramfs ? changed.renewals(root, listener) : List.of();
    return new TransactionRunner(root, TransactionSettings.DEFAULT, listener)
        .undo(new UndoRequest("weaklink undo " + entry.number(), entry.number(), force, images));
  }

  /**
   * Looks at the links of a root's kernels, those of kernels that are gone included.
   *
   * @throws IOException if the root itself cannot be used
   */
  public AuditResult audit(PlanRequest request) throws IOException {
    Root root = request.root() == null ? Root.HOST : Root.of(request.root());
    List<InputProblem> problems = new ArrayList<>();
    Offers offers = Offers.read(root, InstalledKernels.list(root), request.reading(), problems);
    Trust trust = request.trust(root, problems);
    List<AuditedLink> links = new ArrayList<>();
    for (String release : LinkedKernels.list(root)) {
      if (request.kernels().isEmpty() || request.kernels().contains(release)) {
        try {
          links.addAll(
              new LinkAuditor(root, release, offers).audit(trust, request.reading(), problems));
        } catch (IOException e) {
          problems.add(new InputProblem(release, IoReason.of(e)));
        }
      }
    }
    return new AuditResult(root, links, problems);
  }

  /**
   * Removes links as one transaction.
   *
   * @param title the words of the command line, for the history
   * @throws TransactionException if it was refused or failed; says in what state the root is
   */
  public TransactionOutcome remove(
      Root root,
      List<AuditedLink> links,
      String title,
      boolean initramfs,
      TransactionListener listener)
      throws TransactionException {
    List<Change> changes = new ArrayList<>();
    ChangedModules changed = new ChangedModules();
    Set<String> kernels = new LinkedHashSet<>();
    for (AuditedLink link : links) {
      changes.add(new Change.RemoveLink(link.path(), link.target()));
      if (!link.defects().contains(LinkDefect.ONLY_LINKS)) {
        kernels.add(link.kernel());
        changed.add(link.path());
      }
    }
    List<InitramfsStep> images = initramfs ? changed.renewals(root, listener) : List.of();
    return new TransactionRunner(root, TransactionSettings.DEFAULT, listener)
        .run(new LinkTransaction(title, changes, List.copyOf(kernels), images));
  }

  private static Change change(LinkEdit edit) {
    String after = edit.after();
    return after == null
        ? new Change.RemoveLink(edit.path(), String.valueOf(edit.before()))
        : new Change.PutLink(edit.path(), after);
  }

  private static List<String> targets(
      PlanRequest request, Root root, List<String> releases, List<InputProblem> problems)
      throws IOException {
    return request.among(installed(root, releases), root, releases, problems);
  }

  private static List<String> installed(Root root, List<String> releases) throws IOException {
    List<String> installed = new ArrayList<>();
    for (String release : releases) {
      if (isInstalled(root, release)) {
        installed.add(release);
      }
    }
    return installed;
  }

  /** Out-of-tree modules may outlive their kernel; what depmod writes does not make one. */
  private static boolean isInstalled(Root root, String release) throws IOException {
    ModulesDirectory directory = ModulesDirectory.find(root, release);
    return directory != null
        && (Files.isDirectory(directory.host().resolve("kernel"))
            || Files.exists(directory.host().resolve("modules.builtin"))
            || Files.exists(directory.host().resolve("modules.order")));
  }
}
