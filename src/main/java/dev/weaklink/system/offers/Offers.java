package dev.weaklink.system.offers;

import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
  /** Ubuntu has packages that depend on such that depend on a kernel. */
  private static final int DEEPEST = 8;

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
    Map<String, Set<OfferedPackage>> offered = new HashMap<>();
    kernels.forEach(kernel -> kernel.packages().forEach(one -> add(one, offered)));
    dependents.forEach(one -> add(one.own(), offered));
    Set<String> ofKernels = new HashSet<>();
    held.forEach(one -> ofKernels.add(one.name()));
    boolean more = true;
    for (int depth = 0; more && depth < DEEPEST; depth++) {
      more = false;
      for (Dependent one : dependents) {
        boolean blocked =
            one.needs().stream().anyMatch(any -> isHeld(any, ofKernels, offered, all));
        more |= blocked && all.add(one.own());
      }
    }
    return new ArrayList<>(all);
  }

  private static void add(OfferedPackage one, Map<String, Set<OfferedPackage>> offered) {
    offered.computeIfAbsent(one.name(), name -> new HashSet<>()).add(one);
  }

  /**
   * Whether all that would do is offered here, and held. Where any version of a package would do
   * that is of no kernel alone, the one that is installed does.
   */
  private static boolean isHeld(
      List<Need> any,
      Set<String> ofKernels,
      Map<String, Set<OfferedPackage>> offered,
      Set<OfferedPackage> held) {
    for (Need need : any) {
      boolean found = false;
      if (need.version() == null && !ofKernels.contains(need.name())) {
        return false;
      }
      for (OfferedPackage one : offered.getOrDefault(need.name(), Set.of())) {
        if (need.version() == null || need.version().equals(one.version())) {
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
