package dev.weaklink.loader;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What {@link BestSubset} is to choose from. Immutable.
 *
 * @param target where they are to be linked
 * @param candidates the builds at hand; of several with one module name the earlier is preferred
 * @param natives own modules of the target: those the candidates may need, and those that take
 *     symbols from a module whose name a candidate has or that a candidate exports, directly or
 *     through others (all whose line in {@code modules.dep} names one); each with all it needs.
 *     Those left out are not protected
 * @param unreadable names of own modules of the target of which nothing could be read; a chosen
 *     candidate of such a name takes its place
 * @param mayBreak names of own modules that need not go on loading
 */
public record SubsetQuestion(
    TargetKernel target,
    List<Candidate> candidates,
    List<KernelModule> natives,
    Set<String> unreadable,
    Set<String> mayBreak) {

  /**
   * Copies what it is given.
   *
   * @throws IllegalArgumentException if a group holds two builds of one name
   */
  public SubsetQuestion {
    candidates = List.copyOf(candidates);
    natives = List.copyOf(natives);
    unreadable = Set.copyOf(unreadable);
    mayBreak = Set.copyOf(mayBreak);
    Set<List<String>> seen = new HashSet<>();
    for (Candidate candidate : candidates) {
      String group = candidate.group();
      if (group != null && !seen.add(List.of(group, candidate.name()))) {
        throw new IllegalArgumentException(
            "group " + group + " holds two builds of " + candidate.name());
      }
    }
  }
}
