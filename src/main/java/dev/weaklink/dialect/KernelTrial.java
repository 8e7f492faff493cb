package dev.weaklink.dialect;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.Trust;
import dev.weaklink.links.Change;
import dev.weaklink.load.KernelRows;
import dev.weaklink.load.LoadSet;
import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.report.InputProblem;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleTree;
import dev.weaklink.tree.WeakLink;
import dev.weaklink.tree.WeakUpdates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One kernel with the weak links it has, on which others are tried. Nothing is written: the result
 * is a list of changes.
 */
final class KernelTrial {
  private final String release;
  private final ModuleTree tree;
  private final KernelView view;
  private final KernelRows rows;
  private final int threads;
  private final Map<String, String> before;
  private final Set<String> removed = new HashSet<>();
  private final NativeProtection protection;
  private Map<String, ModuleLink> links = new TreeMap<>();
  private final List<Rejection> refused = new ArrayList<>();
  private List<Rejection> failingBefore = List.of();

  private KernelTrial(
      String release, ModuleTree tree, KernelView view, int threads, Map<String, String> before) {
    this.release = release;
    this.tree = tree;
    this.view = view;
    this.rows = new KernelRows(view.kernel().exports());
    this.threads = threads;
    this.before = before;
    this.protection = new NativeProtection(view, tree.directory(), rows, threads);
  }

  /**
   * Opens an installed kernel. Links that lead nowhere, to directories, or to modules that would
   * not load take no part.
   *
   * @param trust what the kernel is to make of signatures
   * @param problems takes what cannot be read
   * @return null if nothing is known of the kernel that modules could be judged by
   * @throws IOException if its directory cannot be read
   */
  static @Nullable KernelTrial open(
      BaseDirectory base, String release, Trust trust, int threads, List<InputProblem> problems)
      throws IOException {
    WeakUpdates weak = WeakUpdates.scan(base.root(), release);
    KernelView.Opening opening = KernelView.open(base.root(), release);
    ModuleTree tree = ModuleTree.scan(base.root(), release);
    ModuleTree own = tree.changed(file -> isLinked(file, weak.links()), List.of());
    KernelView view = opening.with(own, trust, ReadOptions.anew(threads), problems);
    if (view == null) {
      return null;
    }
    Map<String, String> before = new TreeMap<>();
    List<String> places = new ArrayList<>();
    List<String> targets = new ArrayList<>();
    List<String> paths = new ArrayList<>();
    for (WeakLink link : weak.links()) {
      before.put(link.place(), link.target());
      if (!link.directory() && base.exists(absolute(link))) {
        places.add(link.place());
        targets.add(link.target());
        paths.add(absolute(link));
      }
    }
    KernelTrial trial = new KernelTrial(release, tree, view, threads, before);
    LinkBatch present = new ModuleLinks(base, threads).at(places, targets, paths);
    for (ModuleLink link : trial.proven(present)) {
      trial.put(link);
    }
    trial.failingBefore = trial.withoutRefused();
    trial.protection.startWith(trial.links.values());
    return trial;
  }

  private static boolean isLinked(ModuleFile file, List<WeakLink> links) {
    for (WeakLink link : links) {
      if (link.leadsTo(file)) {
        return true;
      }
    }
    return false;
  }

  private static String absolute(WeakLink link) {
    String target = link.target();
    if (target.startsWith("/")) {
      return target;
    }
    return Spelling.clean(
        link.inside().substring(0, link.inside().lastIndexOf('/')) + "/" + target);
  }

  String release() {
    return release;
  }

  /** Links with what the kernel's keys say of their modules' signatures. */
  List<ModuleLink> proven(LinkBatch batch) {
    return batch.provenOn(view);
  }

  /** Links that were there and would not load; they are not in the trial any more. */
  List<Rejection> failingBefore() {
    return failingBefore;
  }

  /** What is in place now, by place. */
  Map<String, ModuleLink> links() {
    return new TreeMap<>(links);
  }

  /** Puts back what was in place at an earlier time. */
  void restore(Map<String, ModuleLink> earlier) {
    links = new TreeMap<>(earlier);
  }

  /** Whether the kernel's directory has a file of its own at this place below extra. */
  boolean hasOwn(String place) {
    String below = place.substring(WeakUpdates.NAME.length());
    for (ModuleFile file : tree.all()) {
      if (file.inside().equals(tree.directory().inside() + "/extra" + below)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a link to a file that is there has this place. */
  boolean isLinked(String place) {
    return links.containsKey(place);
  }

  /** Puts a link in its place; one that is there gives way. */
  void put(ModuleLink link) {
    links.put(link.place(), link);
  }

  /** Takes a link away. */
  void remove(String place) {
    links.remove(place);
    removed.add(place);
  }

  /**
   * Takes links away until all that are left would load with each other in place, and no module of
   * the kernel would stop to load that did before.
   *
   * @return what was taken away and why
   */
  List<Rejection> settle() {
    List<Rejection> rejections = withoutRefused();
    rejections.addAll(withoutHarmful());
    return rejections;
  }

  /** All that was ever found to be refused, but for links that were there before. */
  List<Rejection> refused() {
    List<Rejection> fresh = new ArrayList<>();
    for (Rejection rejection : refused) {
      if (!rejection.link().target().equals(before.get(rejection.link().place()))) {
        fresh.add(rejection);
      }
    }
    return fresh;
  }

  /** Links that were there, would not load for certain, and have no successor in their place. */
  List<Rejection> removed() {
    List<Rejection> gone = new ArrayList<>();
    for (Rejection rejection : failingBefore) {
      if (rejection.certain() && !links.containsKey(rejection.link().place())) {
        gone.add(rejection);
      }
    }
    return gone;
  }

  /**
   * As {@link #settle}, for those who give up if anything is taken away: what would be refused is
   * looked for first, and if there is any, then nothing else.
   */
  List<Rejection> settleWhole() {
    List<Rejection> rejections = withoutRefused();
    return rejections.isEmpty() ? withoutHarmful() : rejections;
  }

  private List<Rejection> withoutHarmful() {
    List<Rejection> harmful = protection.harmful(links.values());
    for (Rejection rejection : harmful) {
      links.remove(rejection.link().place());
    }
    return harmful;
  }

  /**
   * Takes away what would be refused. Links that fail by themselves go first: what needs them may
   * find the kernel's own module instead.
   */
  private List<Rejection> withoutRefused() {
    List<Rejection> rejections = new ArrayList<>();
    int known;
    do {
      known = rejections.size();
      List<ModuleLink> tried = new ArrayList<>(links.values());
      List<Verdict> verdicts = judge(tried);
      reject(tried, verdicts, false, rejections);
      if (rejections.size() == known) {
        reject(tried, verdicts, true, rejections);
      }
    } while (rejections.size() > known);
    refused.addAll(rejections);
    return rejections;
  }

  private void reject(
      List<ModuleLink> tried, List<Verdict> verdicts, boolean others, List<Rejection> rejections) {
    for (int i = 0; i < tried.size(); i++) {
      Verdict verdict = verdicts.get(i);
      boolean fits = verdict.outcome() == Outcome.COMPATIBLE && tried.get(i).readable();
      if (!fits && (others || !Rejection.isForOthersOnly(verdict))) {
        links.remove(tried.get(i).place());
        rejections.add(Rejection.of(tried.get(i), verdict));
      }
    }
  }

  private List<Verdict> judge(List<ModuleLink> tried) {
    if (tried.isEmpty()) {
      return List.of();
    }
    List<KernelModule> given = new ArrayList<>();
    Set<String> unreadable = new HashSet<>(view.unreadable());
    for (ModuleLink link : tried) {
      given.add(link.module());
      if (!link.readable()) {
        unreadable.add(link.module().origin().moduleName());
      }
    }
    rows.prepare(given, threads);
    return LoadSet.together(
        view.kernel(), given, view.neededBy(given, rows), unreadable, rows, threads);
  }

  /** What has to be done to the links on disk. Those that took no part stay as they are. */
  List<Change> changes(Collection<Rejection> unwanted) {
    Set<String> gone = new HashSet<>(removed);
    for (Rejection rejection : unwanted) {
      // a link that works is not to go because something could not be looked at
      if (rejection.certain()) {
        gone.add(rejection.link().place());
      }
    }
    List<Change> changes = new ArrayList<>();
    for (Map.Entry<String, String> link : before.entrySet()) {
      if (gone.contains(link.getKey()) && !links.containsKey(link.getKey())) {
        changes.add(new Change.RemoveLink(path(link.getKey()), link.getValue()));
      }
    }
    for (ModuleLink link : links.values()) {
      if (!link.target().equals(before.get(link.place()))) {
        changes.add(new Change.PutLink(path(link.place()), link.target()));
      }
    }
    return changes;
  }

  private String path(String place) {
    return tree.directory().inside() + "/" + place;
  }
}
