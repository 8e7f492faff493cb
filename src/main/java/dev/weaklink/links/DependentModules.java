package dev.weaklink.links;

import dev.weaklink.links.OutOfTreeBuilds.Offer;
import dev.weaklink.loader.DependencyGroups;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which builds depend on one another, among those that were installed together: by one package,
 * else in one directory, for one kernel. Pure.
 */
final class DependentModules {
  private record Key(String unit, String release) {}

  private final Map<String, String> groups = new HashMap<>();

  DependentModules(List<Offer> offers) {
    Map<Key, List<Offer>> together = new LinkedHashMap<>();
    for (Offer offer : offers) {
      String name = offer.unit().packageName();
      String unit = name == null ? String.valueOf(offer.unit().directory()) : "package " + name;
      together
          .computeIfAbsent(new Key(unit, offer.build().release()), key -> new ArrayList<>())
          .add(offer);
    }
    together.values().forEach(this::add);
  }

  private void add(List<Offer> offers) {
    List<KernelModule> modules = OutOfTreeBuilds.modules(offers);
    for (List<Integer> group : DependencyGroups.connected(modules)) {
      for (int member : group.size() == 1 ? List.<Integer>of() : group) {
        groups.put(offers.get(member).build().inside(), offers.get(group.get(0)).build().inside());
      }
    }
  }

  /** The same for all that depend on one another; null for one that does not. */
  @Nullable String group(Offer offer) {
    return groups.get(offer.build().inside());
  }
}
