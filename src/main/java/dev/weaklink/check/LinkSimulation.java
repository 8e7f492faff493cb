package dev.weaklink.check;

import dev.weaklink.loader.BestSubset;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.module.KernelModule;
import dev.weaklink.system.Dependants;
import dev.weaklink.system.ModulesDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The kernel's own modules that putting builds in their place concerns. */
public final class InvolvedModules {
  private InvolvedModules() {}

  /**
   * Those that builds need, those that use what a build could replace, and what all these need: all
   * that decides which builds can be linked.
   *
   * @param directory where the kernel's {@code modules.dep} is; without it all its modules count
   */
  public static List<KernelModule> of(
      KernelView view,
      ModulesDirectory directory,
      Collection<KernelModule> builds,
      KernelRows rows) {
    List<KernelModule> asking = new ArrayList<>(builds);
    // what vmlinux alone refuses replaces nothing, and no module stops loading for it
    List<KernelModule> replacing = BestSubset.possible(view.kernel(), builds, rows);
    List<KernelModule> dependants = dependants(view, directory, replacing);
    asking.addAll(dependants);
    Set<KernelModule> involved = new LinkedHashSet<>(dependants);
    involved.addAll(view.neededBy(asking, rows));
    return List.copyOf(involved);
  }

  /**
   * Those that use symbols of one that a build would replace.
   *
   * @param directory as for {@link #of}
   */
  public static List<KernelModule> dependants(
      KernelView view, ModulesDirectory directory, Collection<KernelModule> builds) {
    Set<String> replaced = new TreeSet<>();
    for (KernelModule build : builds) {
      if (view.has(build.name())) {
        replaced.add(build.name());
      }
    }
    if (replaced.isEmpty()) {
      return List.of();
    }
    Set<String> names = Dependants.of(directory, replaced);
    if (names != null) {
      return view.named(names);
    }
    for (KernelModule module : view.named(replaced)) {
      if (module.exports().names().size() == 0) {
        replaced.remove(module.origin().moduleName());
      }
    }
    return replaced.isEmpty() ? List.of() : view.all();
  }
}
