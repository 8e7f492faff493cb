package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.Trust;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.WeakLink;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.util.ArrayList;
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
final class KernelLinkSimulation {
  private final String release;
  private final ModuleTree tree;
  private final KernelView view;
  private final LinkJudge judge;
  private final Map<String, String> before;
  private final Set<String> removed = new HashSet<>();
  private final NativeProtection protection;
  private Map<String, ModuleLink> links = new TreeMap<>();
  private final List<Rejection> refused = new ArrayList<>();
  private final List<ModuleLink> failing = new ArrayList<>();

  private KernelLinkSimulation(
      String release, ModuleTree tree, KernelView view, int threads, Map<String, String> before) {
    this.release = release;
    this.tree = tree;
    this.view = view;
    KernelRows rows = new KernelRows(view.kernel().exports());
    this.judge = new LinkJudge(view, rows, threads);
    this.before = before;
    this.protection = new NativeProtection(view, tree.directory(), rows, threads);
  }

  /**
   * Opens an installed kernel. Links that lead nowhere or to directories take no part.
   *
   * @param trust what the kernel is to make of signatures
   * @param problems takes what cannot be read
   * @return null if nothing is known of the kernel that modules could be judged by
   * @throws IOException if its directory cannot be read
   */
  static @Nullable KernelLinkSimulation open(
      BaseDirectory base, String release, Trust trust, int threads, List<InputProblem> problems)
      throws IOException {
    WeakUpdates weak = WeakUpdates.scan(base.root(), release);
    KernelView.Opening opening = KernelView.open(base.root(), release);
    ModuleTree tree = ModuleTree.scan(base.root(), release);
    ModuleTree own = tree.changed(weak::leadTo, List.of());
    KernelView view = opening.with(own, trust, ReadOptions.uncached(threads), problems);
    if (view == null) {
      return null;
    }
    KernelLinkSimulation trial =
        new KernelLinkSimulation(release, tree, view, threads, new TreeMap<>());
    for (ModuleLink link : trial.proven(trial.present(base, weak.links(), threads))) {
      trial.put(link);
    }
    Map<String, ModuleLink> all = trial.links();
    trial.withoutRefused().forEach(rejection -> trial.failing.add(rejection.link()));
    trial.protection.startWith(trial.links.values());
    trial.links = all;
    trial.refused.clear();
    return trial;
  }

  private LinkBatch present(BaseDirectory base, List<WeakLink> present, int threads)
      throws IOException {
    List<WeakLink> read = new ArrayList<>();
    for (WeakLink link : present) {
      before.put(link.place(), link.target());
      if (!link.directory() && base.exists(absolute(link))) {
        read.add(link);
      }
    }
    return new ModuleLinks(base, threads).at(read, KernelLinkSimulation::absolute);
  }

  private static String absolute(WeakLink link) {
    String target = link.target();
    if (target.startsWith("/")) {
      return target;
    }
    return PathFormat.clean(
        link.inside().substring(0, link.inside().lastIndexOf('/')) + "/" + target);
  }

  String release() {
    return release;
  }

  /** Links with what the kernel's keys say of their modules' signatures. */
  List<ModuleLink> proven(LinkBatch batch) {
    return batch.provenOn(view);
  }

  /** What is in place now, by place. */
  Map<String, ModuleLink> links() {
    return new TreeMap<>(links);
  }

  /** Puts back what was in place at an earlier time. */
  void restore(Map<String, ModuleLink> earlier) {
    links = new TreeMap<>(earlier);
  }

  /** Whether the kernel has a file of its own where the module is below its kernel's extra. */
  boolean hasOwn(ModuleLink link) {
    String extra = "/lib/modules/" + link.release() + "/extra/";
    int at = link.target().indexOf(extra);
    if (at < 0) {
      return false;
    }
    String place = link.target().substring(at + extra.length());
    String own = tree.directory().inside() + "/extra/" + place;
    return tree.all().stream().anyMatch(file -> file.inside().equals(own));
  }

  /** Whether a link has this place now. */
  boolean isTaken(String place) {
    return links.containsKey(place);
  }

  /** Whether a link is in place now, and to the same file. */
  boolean isLinked(ModuleLink link) {
    ModuleLink present = links.get(link.place());
    return present != null && present.target().equals(link.target());
  }

  /** Whether a link that was there is to go, and no other is to take its place. */
  boolean isRemoved(String place) {
    return removed.contains(place) && !links.containsKey(place);
  }

  /** Puts a link in its place; one that exists gives way. */
  void put(ModuleLink link) {
    links.put(link.place(), link);
  }

  /**
   * Takes links away until all that are left would load with each other in place, and no module of
   * the kernel would stop to load that did before. Those that were there and would not load for
   * certain are removed.
   *
   * @return what was taken away and why
   */
  List<Rejection> settle() {
    List<Rejection> rejections = withoutRefused();
    rejections.addAll(withoutHarmful());
    for (Rejection rejection : rejections) {
      // a link that works is not to go because something could not be checked
      if (rejection.certain() && wasThere(rejection)) {
        removed.add(rejection.link().place());
      }
    }
    return rejections;
  }

  private boolean wasThere(Rejection rejection) {
    return rejection.link().target().equals(before.get(rejection.link().place()));
  }

  /** Whether these are nothing but links that were there and would not have loaded then, either. */
  boolean areOld(List<Rejection> rejections) {
    return rejections.stream().allMatch(rejection -> failing.contains(rejection.link()));
  }

  /** All that was ever found to be refused, but for links that were there before. */
  List<Rejection> refused() {
    return refused.stream().filter(rejection -> !wasThere(rejection)).toList();
  }

  /** Why links that were there are removed. */
  List<Rejection> removed() {
    return refused.stream()
        .filter(rejection -> wasThere(rejection) && isRemoved(rejection.link().place()))
        .toList();
  }

  /**
   * As {@link #settle}, for those who give up if anything is taken away: what would be refused is
   * looked for first, and if there is any, then nothing else. Links that were there stay on disk.
   */
  List<Rejection> settleWhole() {
    List<Rejection> rejections = withoutRefused();
    if (areOld(rejections)) {
      rejections.addAll(withoutHarmful());
    }
    return rejections;
  }

  private List<Rejection> withoutHarmful() {
    List<Rejection> harmful = protection.harmful(links.values());
    harmful.forEach(rejection -> links.remove(rejection.link().place()));
    return harmful;
  }

  private List<Rejection> withoutRefused() {
    List<Rejection> rejections = new ArrayList<>();
    int known;
    do {
      known = rejections.size();
      rejections.addAll(judge.refused(new ArrayList<>(links.values())));
      for (Rejection rejection : rejections.subList(known, rejections.size())) {
        links.remove(rejection.link().place());
      }
    } while (rejections.size() > known);
    refused.addAll(rejections);
    return rejections;
  }

  /** What has to be done to the links on disk. Those that took no part stay as they are. */
  List<Change> changes() {
    List<Change> changes = new ArrayList<>();
    for (Map.Entry<String, String> link : before.entrySet()) {
      if (isRemoved(link.getKey())) {
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
