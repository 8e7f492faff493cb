package dev.weaklink.load;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Which own modules of a target others can have to do with, where all of them have been read. Where
 * they have not, {@code modules.dep} says as much: a module depends on those its line names. Pure.
 */
public final class Dependants {
  private final Builds builds;
  private final Influence influence;
  private final BitSet names = new BitSet();

  private Dependants(
      TargetKernel target,
      Collection<KernelModule> modules,
      List<KernelModule> own,
      KernelRows rows) {
    List<Candidate> candidates = new ArrayList<>();
    for (KernelModule module : modules) {
      candidates.add(Candidate.of(module));
    }
    builds = new Builds(new SubsetQuestion(target, candidates, own, Set.of(), Set.of()));
    influence = new Influence(builds, rows);
    for (int c = 0; c < candidates.size(); c++) {
      names.set(builds.nameOf(c));
    }
  }

  /**
   * The own modules that take symbols from these, or from own modules of their names: directly or
   * through others.
   *
   * @param modules candidates, or own modules themselves
   * @param own all own modules of the target
   * @return own modules of other names than these have, in order
   */
  public static List<KernelModule> of(
      TargetKernel target,
      Collection<KernelModule> modules,
      List<KernelModule> own,
      KernelRows rows) {
    Dependants it = new Dependants(target, modules, own, rows);
    BitSet dependants = it.influence.dependants(it.names, Choice.none(it.builds));
    dependants.andNot(it.names);
    return it.own(dependants);
  }

  /**
   * The own modules that matter if these may be linked, as {@link SubsetQuestion#natives()} wants
   * them: those of their names, those they may need, those that depend on them, and all that these
   * need.
   *
   * @param own all own modules of the target
   * @return own modules, in order
   */
  public static List<KernelModule> natives(
      TargetKernel target,
      Collection<KernelModule> modules,
      List<KernelModule> own,
      KernelRows rows) {
    Dependants it = new Dependants(target, modules, own, rows);
    Choice none = Choice.none(it.builds);
    BitSet matter = it.influence.dependants(it.names, none);
    for (int c = 0; c < modules.size(); c++) {
      for (int source : it.influence.sources(c)) {
        matter.set(source);
      }
    }
    return it.own(it.influence.cone(matter, none));
  }

  private List<KernelModule> own(BitSet of) {
    List<KernelModule> own = new ArrayList<>();
    for (int b = 0; b < builds.size(); b++) {
      if (!builds.isCandidate(b) && of.get(builds.nameOf(b))) {
        own.add(builds.module(b));
      }
    }
    return own;
  }
}
