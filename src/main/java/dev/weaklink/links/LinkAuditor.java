package dev.weaklink.links;

import dev.weaklink.check.KernelView;
import dev.weaklink.check.LinkSimulation;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.Trust;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.links.OutOfTreeBuilds.Offer;
import dev.weaklink.links.plan.AuditedLink;
import dev.weaklink.links.plan.LinkDefect;
import dev.weaklink.links.plan.Planner;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleFile;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.WeakLink;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks at every link below one kernel's weak-updates. */
final class LinkAuditor {
  private final Root root;
  private final String release;
  private final OutOfTreeBuilds offers;
  private final ModuleTree tree;
  private final WeakUpdates weak;
  private final List<WeakLink> links;
  private final boolean onlyLinks;
  private final Map<WeakLink, Verdict> verdicts = new HashMap<>();

  /**
   * Prepares to look.
   *
   * @throws IOException if the kernel's directory cannot be read
   */
  LinkAuditor(Root root, String release, OutOfTreeBuilds offers) throws IOException {
    this.root = root;
    this.release = release;
    this.offers = offers;
    this.tree = ModuleTree.scan(root, release);
    this.weak = WeakUpdates.scan(root, release);
    this.links = weak.links();
    this.onlyLinks = !tree.directory().isKernel() && own(tree).all().isEmpty();
  }

  private ModuleTree own(ModuleTree whole) {
    return whole.changed(weak::leadTo, List.of());
  }

  /** All links, by path. */
  List<AuditedLink> audit(Trust trust, ReadOptions reading, List<InputProblem> problems)
      throws IOException {
    judge(trust, reading, problems);
    Set<String> listed = ListedModules.of(tree.directory());
    List<AuditedLink> audited = new ArrayList<>();
    for (WeakLink link : links) {
      Set<LinkDefect> defects = defects(link, listed);
      Verdict verdict = verdicts.get(link);
      String reason =
          verdict != null
                  && (verdict.outcome() != Outcome.COMPATIBLE
                      || defects.contains(LinkDefect.BREAKS_OTHERS)
                      || defects.contains(LinkDefect.BREAKS_WHEN_SEEN))
              ? VerdictReason.ofReplacement(verdict)
              : reason(link, defects);
      audited.add(
          new AuditedLink(
              release, link.inside(), link.target(), link.name(), List.copyOf(defects), reason));
    }
    return audited;
  }

  /**
   * Whether depmod has not seen a link that breaks no others, or one that is gone.
   *
   * @param problems takes those that are gone, as they are no links any more
   */
  boolean needsDepmod(List<InputProblem> problems) throws IOException {
    List<String> unseen =
        new ArrayList<>(onlyLinks ? List.of() : ListedModules.unseen(root, release));
    unseen.removeIf(file -> !file.contains("/" + WeakUpdates.NAME + "/"));
    verdicts.forEach(
        (link, verdict) -> {
          if (verdict.breaksOthers()) {
            unseen.remove(link.inside());
          }
        });
    List<String> gone = new ArrayList<>(unseen);
    for (WeakLink link : links) {
      gone.remove(link.inside());
    }
    if (!gone.isEmpty()) {
      problems.add(
          new InputProblem(
              release,
              "depmod was not run when links were removed; modules.dep still has "
                  + gone.get(0)
                  + (gone.size() == 1 ? "" : " and " + (gone.size() - 1) + " more")));
    }
    return !unseen.isEmpty();
  }

  /** What the kernel would say to the links' modules, all in place. */
  private void judge(Trust trust, ReadOptions reading, List<InputProblem> problems)
      throws IOException {
    List<WeakLink> judged = readable();
    if (onlyLinks || judged.isEmpty()) {
      return;
    }
    KernelView view = KernelView.open(root, release).with(own(tree), trust, reading, problems);
    if (view == null) {
      return;
    }
    OutOfTreeBuilds proven = offers.provenOn(view);
    List<KernelModule> modules = new ArrayList<>();
    for (WeakLink link : judged) {
      Offer offer = offer(link, proven);
      modules.add(Objects.requireNonNull(offer).module());
    }
    LinkSimulation kernel = new LinkSimulation(view, tree.directory(), reading.threads());
    List<KernelModule> natives = kernel.neededBy(modules);
    List<Verdict> given = kernel.inOrder(modules, natives, proven.unreadableOn(view));
    List<Path> files = new ArrayList<>();
    judged.forEach(link -> files.add(Objects.requireNonNull(link.host())));
    List<Verdict> whole = view.withBroken(files, given, reading.threads());
    for (int i = 0; i < whole.size(); i++) {
      verdicts.put(judged.get(i), whole.get(i));
    }
  }

  /** Links to builds that could be read. */
  private List<WeakLink> readable() {
    List<WeakLink> readable = new ArrayList<>();
    for (WeakLink link : links) {
      Offer offer = offer(link, offers);
      if (offer != null && offer.failure() == null) {
        readable.add(link);
      }
    }
    return readable;
  }

  private static @Nullable Offer offer(WeakLink link, OutOfTreeBuilds among) {
    return link.host() == null ? null : among.at(link.host());
  }

  private Set<LinkDefect> defects(WeakLink link, Set<String> listed) {
    if (link.dangles()) {
      return EnumSet.of(dangling(link));
    }
    Set<LinkDefect> defects = EnumSet.noneOf(LinkDefect.class);
    if (onlyLinks) {
      defects.add(LinkDefect.ONLY_LINKS);
    }
    if (link.directory()) {
      defects.add(LinkDefect.LINK_TO_DIRECTORY);
      return defects;
    }
    addOrigin(link, defects);
    if (!onlyLinks) {
      addUse(link, listed, defects);
    }
    return defects;
  }

  private LinkDefect dangling(WeakLink link) {
    if (onlyLinks) {
      return LinkDefect.ONLY_LINKS;
    }
    if (!root.isHost() && link.target().startsWith(root.top() + "/")) {
      return LinkDefect.LEAVES_IMAGE;
    }
    return Planner.isLeftOver(link) ? LinkDefect.LEFT_BEHIND : LinkDefect.DANGLING;
  }

  private void addOrigin(WeakLink link, Set<LinkDefect> defects) {
    Offer offer = offer(link, offers);
    if (offer == null) {
      defects.add(LinkDefect.FOREIGN_TREE);
    } else if (offer.build().release().equals(release)) {
      defects.add(LinkDefect.OWN_KERNEL);
    } else if (KernelReleaseOrder.INSTANCE.compare(offer.build().release(), release) > 0) {
      defects.add(LinkDefect.NEWER_KERNEL);
    }
    Verdict verdict = verdicts.get(link);
    if (!onlyLinks && (verdict == null || verdict.outcome() == Outcome.UNDETERMINED)) {
      defects.add(LinkDefect.UNDETERMINED);
    } else if (verdict != null && verdict.outcome() == Outcome.INCOMPATIBLE) {
      defects.add(LinkDefect.INCOMPATIBLE);
    }
  }

  private void addUse(WeakLink link, Set<String> listed, Set<LinkDefect> defects) {
    ModuleFile chosen = tree.chosen(link.name());
    if (chosen == null || !chosen.inside().equals(link.inside())) {
      defects.add(hasOwn(link) ? LinkDefect.SHADOWED : LinkDefect.UNUSED);
      return;
    }
    Verdict verdict = verdicts.get(link);
    if (verdict != null && verdict.breaksOthers()) {
      // Nobody should be told to run depmod, which would put it into effect.
      boolean isSeen = listed.contains(link.place());
      defects.add(isSeen ? LinkDefect.BREAKS_OTHERS : LinkDefect.BREAKS_WHEN_SEEN);
    } else if (!listed.contains(link.place())) {
      defects.add(LinkDefect.UNSEEN);
    }
  }

  private boolean hasOwn(WeakLink link) {
    return offers.of(release).stream().anyMatch(offer -> offer.build().name().equals(link.name()));
  }

  private String reason(WeakLink link, Set<LinkDefect> defects) {
    ModuleFile chosen = tree.chosen(link.name());
    boolean other = defects.contains(LinkDefect.UNUSED) || defects.contains(LinkDefect.SHADOWED);
    return other && chosen != null ? "depmod chooses " + chosen.inside() : "";
  }
}
