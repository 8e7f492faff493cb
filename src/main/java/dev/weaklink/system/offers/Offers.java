package dev.weaklink.system.offers;

import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the repositories of a system offer.
 *
 * @param kernels from old to new
 * @param dependents packages that install a kernel by depending on it, such as {@code
 *     linux-image-amd64}
 * @param problems which of their lists could not be read
 */
public record Offers(
    List<OfferedKernel> kernels, List<Dependent> dependents, List<InputProblem> problems) {
  public Offers {
    kernels = List.copyOf(kernels);
    dependents = List.copyOf(dependents);
    problems = List.copyOf(problems);
  }

  /** A package with what it cannot be installed without: of each list one at least. */
  public record Dependent(OfferedPackage own, List<List<Need>> needs) {
    public Dependent {
      needs = List.copyOf(needs);
    }
  }

  /**
   * A package that another one needs.
   *
   * @param version null if any would do
   */
  public record Need(String name, @Nullable String version) {}

  /** These packages, and what cannot be installed without them; sorted. */
  public List<OfferedPackage> withDependents(List<OfferedPackage> held) {
    Set<OfferedPackage> all = new TreeSet<>(held);
    Set<OfferedPackage> offered = new TreeSet<>();
    kernels.forEach(kernel -> offered.addAll(kernel.packages()));
    dependents.forEach(one -> offered.add(one.own()));
    boolean more = true;
    while (more) {
      more = false;
      for (Dependent one : dependents) {
        boolean blocked = one.needs().stream().anyMatch(any -> isHeld(any, offered, all));
        more |= blocked && all.add(one.own());
      }
    }
    return new ArrayList<>(all);
  }

  /** Whether all that would do is offered here, and held. */
  private static boolean isHeld(
      List<Need> any, Set<OfferedPackage> offered, Set<OfferedPackage> held) {
    for (Need need : any) {
      boolean found = false;
      for (OfferedPackage one : offered) {
        if (one.name().equals(need.name())
            && (need.version() == null || need.version().equals(one.version()))) {
          found = true;
          if (!held.contains(one)) {
            return false;
          }
        }
      }
      if (!found) {
        return false;
      }
    }
    return !any.isEmpty();
  }
}
