package dev.weaklink.load;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Verdicts for a set of modules on one target. Pure. */
public final class LoadSet {
  private LoadSet() {}

  /**
   * Judges the given modules as if all were installed: each replaces the target's module of its
   * name, a symbol comes from vmlinux or from a module that would itself load, and one that is
   * refused takes its dependants with it.
   *
   * @param natives the target's own modules that the given ones may need, with all those they need
   * @param unreadable names of given modules of which nothing could be read
   * @return one verdict for each given module, in order
   */
  public static List<Verdict> together(
      TargetKernel target,
      List<KernelModule> given,
      List<KernelModule> natives,
      Set<String> unreadable) {
    Set<String> replaced = new HashSet<>(unreadable);
    List<Member> members = new ArrayList<>();
    for (KernelModule module : given) {
      members.add(new Member(module, true));
      replaced.add(module.name());
    }
    for (KernelModule module : natives) {
      if (!replaced.contains(module.name())) {
        members.add(new Member(module, false));
      }
    }
    judgeAll(new World(target, members, unreadable));
    List<Verdict> verdicts = new ArrayList<>();
    for (Member member : members.subList(0, given.size())) {
      verdicts.add(member.verdictOrThrow());
    }
    return verdicts;
  }

  /**
   * Judges each given module alone against the target and its own modules.
   *
   * @param natives as in {@link #together}
   * @return one verdict for each given module, in order
   */
  public static List<Verdict> alone(
      TargetKernel target, List<KernelModule> given, List<KernelModule> natives) {
    List<Member> members = new ArrayList<>();
    for (KernelModule module : natives) {
      members.add(new Member(module, false));
    }
    World world = new World(target, members, Set.of());
    judgeAll(world);
    Loader loader = new Loader(world);
    List<Verdict> verdicts = new ArrayList<>();
    for (KernelModule module : given) {
      verdicts.add(loader.judge(module, module.name()).verdict());
    }
    return verdicts;
  }

  /**
   * Whether the loader of a target accepts these relocations, if they have been examined. A verdict
   * reached without them then stands.
   */
  public static boolean acceptsRelocations(TargetKernel target, Relocations relocations) {
    return RelocationStep.accepts(target, relocations);
  }

  /** Judges all members, each after those it may use. */
  private static void judgeAll(World world) {
    List<Member> members = world.members();
    Loader loader = new Loader(world);
    Dependencies dependencies = new Dependencies(world);
    ArrayDeque<Integer> ready = new ArrayDeque<>();
    for (int m = 0; m < members.size(); m++) {
      if (dependencies.isReady(m)) {
        ready.add(m);
      }
    }
    int judged = 0;
    while (judged < members.size()) {
      if (ready.isEmpty()) {
        ready.addAll(dependencies.inCircles());
      }
      int m = ready.remove();
      Member member = members.get(m);
      if (member.verdict() == null) {
        member.judged(loader.judge(member.module(), null));
        judged++;
        ready.addAll(dependencies.judged(m));
      }
    }
  }

  /** Who waits for whom. */
  private static final class Dependencies {
    private final World world;
    private final List<Member> members;
    private final int[] waitsFor;
    private final List<List<Integer>> dependants = new ArrayList<>();

    Dependencies(World world) {
      this.world = world;
      members = world.members();
      waitsFor = new int[members.size()];
      for (int m = 0; m < members.size(); m++) {
        dependants.add(List.of());
      }
      int[] seenBy = new int[members.size()];
      for (int m = 0; m < members.size(); m++) {
        connect(m, seenBy);
      }
    }

    private void connect(int m, int[] seenBy) {
      SymbolNames imports = members.get(m).module().imports().names();
      for (int i = 0; i < imports.size(); i++) {
        for (int offer = world.offer(imports, i);
            offer != World.NONE;
            offer = world.nextOffer(offer)) {
          int provider = world.memberIndex(offer);
          if (provider != m && seenBy[provider] != m + 1) {
            seenBy[provider] = m + 1;
            addDependant(provider, m);
          }
        }
      }
    }

    private void addDependant(int provider, int m) {
      if (dependants.get(provider).isEmpty()) {
        dependants.set(provider, new ArrayList<>(4));
      }
      dependants.get(provider).add(m);
      waitsFor[m]++;
    }

    boolean isReady(int m) {
      return waitsFor[m] == 0;
    }

    /** Those that wait for nobody any more now that {@code m} is judged. */
    List<Integer> judged(int m) {
      List<Integer> freed = new ArrayList<>();
      for (int dependant : dependants.get(m)) {
        if (--waitsFor[dependant] == 0) {
          freed.add(dependant);
        }
      }
      return freed;
    }

    /**
     * The next of those that wait in circles: one that has all it needs from others that are
     * judged, if there is one (the circle then goes through a second exporter of some symbol), else
     * all.
     */
    List<Integer> inCircles() {
      List<Integer> waiting = new ArrayList<>();
      for (int m = 0; m < members.size(); m++) {
        if (members.get(m).verdict() == null) {
          if (hasAllItNeeds(m)) {
            return List.of(m);
          }
          waiting.add(m);
        }
      }
      return waiting;
    }

    private boolean hasAllItNeeds(int m) {
      SymbolNames imports = members.get(m).module().imports().names();
      for (int i = 0; i < imports.size(); i++) {
        int offer = world.offer(imports, i);
        boolean loaded = offer == World.NONE;
        for (; offer != World.NONE && !loaded; offer = world.nextOffer(offer)) {
          loaded = world.member(offer).loads();
        }
        if (!loaded) {
          return false;
        }
      }
      return true;
    }
  }
}
