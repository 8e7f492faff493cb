package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.Trust;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.WeakLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One kernel and the packages that are linked to it, on which others are tried. Nothing is written:
 * the result is a list of changes.
 */
final class KmpLinkSimulation {
  private final BaseDirectory base;
  private final KmpLinks links;
  private final KmpModules modules;
  private final Trust trust;
  private final int threads;
  private final List<InputProblem> problems = new ArrayList<>();
  private final Set<Kmp> present = new LinkedHashSet<>();
  private final Set<Kmp> gone = new LinkedHashSet<>();
  private final Set<Kmp> added = new LinkedHashSet<>();
  private @Nullable KmpJudge judge;

  /**
   * Starts with the packages whose modules all are linked.
   *
   * @param trust what the kernel is to make of signatures
   */
  KmpLinkSimulation(
      BaseDirectory base,
      KmpLinks links,
      Collection<Kmp> installed,
      KmpModules modules,
      Trust trust,
      int threads) {
    this.base = base;
    this.trust = trust;
    this.links = links;
    this.modules = modules;
    this.threads = threads;
    for (Kmp kmp : installed) {
      if (!kmp.kernel().equals(links.release()) && links.isPresent(kmp)) {
        present.add(kmp);
      }
    }
  }

  String release() {
    return links.release();
  }

  /** What is wrong with the kernel's files and links, and what it has against signatures. */
  List<InputProblem> problems() {
    List<InputProblem> all = new ArrayList<>(problems);
    if (judge != null) {
      for (Set<String> lines : judge.signatures().values()) {
        lines.forEach(line -> all.add(new InputProblem("kernel " + release(), line)));
      }
      if (!judge.lost().isEmpty()) {
        all.add(new InputProblem("kernel " + release(), Rejection.lost(judge.lost())));
      }
    }
    return all;
  }

  /**
   * Whether modules can be judged on this kernel.
   *
   * @throws IOException if its files cannot be read
   */
  boolean canJudge() throws IOException {
    if (judge == null) {
      KernelView view =
          KernelView.open(base.root(), release())
              .with(links.own(), trust, ReadOptions.uncached(threads), problems);
      judge =
          view == null
              ? null
              : new KmpJudge(view, links.own().directory(), modules, loose(), threads);
    }
    return judge != null;
  }

  private LinkBatch loose() throws IOException {
    return new ModuleLinks(base, threads).at(links.loose(), WeakLink::inside);
  }

  /** Whether a package is linked now, or in the kernel's own directory. */
  boolean isPresent(Kmp kmp) {
    return kmp.kernel().equals(release()) ? links.isPresent(kmp) : present.contains(kmp);
  }

  /** Whether something else has one of a package's module names. */
  boolean isNameTaken(Kmp kmp) {
    return links.inTheWayOf(kmp) != null;
  }

  /** The version of a package that is linked now, null if none is. */
  @Nullable Kmp linkedVersionOf(Kmp kmp) {
    for (Kmp other : present) {
      if (other.isVersionOf(kmp)) {
        return other;
      }
    }
    return null;
  }

  /**
   * Puts a package in, and out another version of it.
   *
   * @return why not; nothing if it was done
   */
  List<String> add(Kmp kmp) throws IOException {
    String inTheWay = links.inTheWayOf(kmp);
    if (inTheWay != null) {
      return List.of(kmp.id() + ": there is " + inTheWay);
    }
    if (!canJudge() || judge == null) {
      return List.of(kmp.id() + ": nothing is known of kernel " + release());
    }
    Kmp old = linkedVersionOf(kmp);
    List<Kmp> without = old == null ? List.of() : List.of(old);
    List<Kmp> read = new ArrayList<>(present);
    read.add(kmp);
    modules.read(read);
    List<String> objections = judge.objections(present, without, kmp);
    if (objections.isEmpty()) {
      without.forEach(this::remove);
      put(kmp);
    }
    return objections;
  }

  /**
   * Puts in as many as possible at once of packages no version of which is linked.
   *
   * @param log takes why others were not
   * @return those that were put in
   */
  List<Kmp> addAll(Collection<Kmp> kmps, SuseLog log) throws IOException {
    List<Kmp> tried = new ArrayList<>();
    for (Kmp kmp : kmps) {
      String inTheWay = links.inTheWayOf(kmp);
      if (inTheWay == null) {
        tried.add(kmp);
      } else {
        log.explain(List.of(kmp.id() + ": there is " + inTheWay));
      }
    }
    if (tried.isEmpty() || !canJudge() || judge == null) {
      return List.of();
    }
    List<Kmp> all = new ArrayList<>(present);
    all.addAll(tried);
    modules.read(all);
    KmpJudge.Answer after = judge.judge(all);
    boolean together = after.accepted().containsAll(judge.judgePresent(present).accepted());
    List<Kmp> done = new ArrayList<>();
    for (Kmp kmp : tried) {
      List<String> objections =
          !together ? add(kmp) : after.refusals().getOrDefault(kmp.id(), List.of());
      if (objections.isEmpty()) {
        put(kmp);
        done.add(kmp);
      } else {
        log.explain(objections);
      }
    }
    return done;
  }

  private void put(Kmp kmp) {
    present.add(kmp);
    added.add(kmp);
  }

  /** Takes a package's links out. */
  void remove(Kmp kmp) {
    present.remove(kmp);
    added.remove(kmp);
    gone.add(kmp);
  }

  /** Those that are linked and would not load. */
  List<Kmp> refused() throws IOException {
    if (present.isEmpty() || !canJudge() || judge == null) {
      return List.of();
    }
    modules.read(present);
    KmpJudge.Answer answer = judge.judgePresent(present);
    return present.stream().filter(kmp -> answer.refused().contains(kmp.id())).toList();
  }

  /** Whether the kernel does not take the signature of one of a package's modules. */
  boolean isWronglySigned(Kmp kmp) {
    return judge != null && judge.signatures().containsKey(kmp.id());
  }

  /** What has to be done to the links on disk. */
  List<Change> changes() {
    return links.changes(gone, added);
  }
}
