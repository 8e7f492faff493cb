package dev.weaklink.manage;

import dev.weaklink.check.KernelView;
import dev.weaklink.load.KernelRows;
import dev.weaklink.manage.Offers.Offer;
import dev.weaklink.module.KernelModule;
import dev.weaklink.tree.Dependants;
import dev.weaklink.tree.ModulesDirectory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The kernel's own modules that have to do with builds from elsewhere: those they need, and those
 * that need one they would replace.
 *
 * @param modules their facts
 * @param rows lookups to share with others that judge these modules
 */
record Neighbours(List<KernelModule> modules, KernelRows rows) {
  static Neighbours of(KernelView view, List<Offer> offers, ModulesDirectory directory) {
    KernelRows rows = new KernelRows(view.kernel().exports());
    List<KernelModule> asking = new ArrayList<>();
    for (Offer offer : offers) {
      asking.add(offer.module());
    }
    List<KernelModule> dependants = dependants(view, offers, directory);
    asking.addAll(dependants);
    Set<KernelModule> modules = new LinkedHashSet<>(dependants);
    modules.addAll(view.neededBy(asking, rows));
    return new Neighbours(List.copyOf(modules), rows);
  }

  /** The kernel's own modules that use symbols of one that a build would replace. */
  private static List<KernelModule> dependants(
      KernelView view, List<Offer> offers, ModulesDirectory directory) {
    Set<String> replaced = new TreeSet<>();
    for (Offer offer : offers) {
      if (view.has(offer.build().name())) {
        replaced.add(offer.build().name());
      }
    }
    for (KernelModule module : view.named(replaced)) {
      if (module.exports().names().size() == 0) {
        replaced.remove(module.origin().moduleName());
      }
    }
    if (replaced.isEmpty()) {
      return List.of();
    }
    Set<String> names = Dependants.of(directory, replaced);
    return names == null ? view.all() : view.named(names);
  }
}
