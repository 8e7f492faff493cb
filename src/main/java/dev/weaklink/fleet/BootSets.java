package dev.weaklink.fleet;

import dev.weaklink.fleet.Audit.Gathered;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes would have which set of modules if they booted a kernel: worked out once for each
 * kernel that some node has modules for, and once for all others.
 */
final class BootSets {
  private final List<OfSet> sets = new ArrayList<>();
  private final Map<BitSet, Nodes> folded = new HashMap<>();
  private final List<String> bare = new ArrayList<>();
  private final int barePlace;

  /**
   * The nodes that would have a set, by its place.
   *
   * @param first of them, whatever the order of the input
   */
  record OfSet(int set, List<String> names, Nodes nodes, String first) {}

  private BootSets(NodeGroups census, @Nullable String release) {
    barePlace = census.gathered().size();
    SortedMap<Integer, List<String>> names = new TreeMap<>();
    for (NodeGroups.Kind kind : census.kinds()) {
      Gathered deciding = kind.deciding(release);
      if (deciding == null) {
        bare.addAll(kind.names());
      } else {
        names.computeIfAbsent(deciding.place, key -> new ArrayList<>()).addAll(kind.names());
      }
    }
    names.forEach((set, all) -> sets.add(new OfSet(set, all, Nodes.of(all), Collections.min(all))));
  }

  /** For all the targets of an audit. */
  static final class OfAll {
    private final NodeGroups census;
    private final Set<String> releases = new HashSet<>();
    private final Map<@Nullable String, BootSets> known = new HashMap<>();

    OfAll(NodeGroups census) {
      this.census = census;
      for (Gathered gathered : census.gathered()) {
        releases.add(gathered.set.kernel());
      }
    }

    BootSets on(@Nullable String release) {
      String own = release != null && releases.contains(release) ? release : null;
      return known.computeIfAbsent(own, key -> new BootSets(census, key));
    }
  }

  /** The sets that nodes would have, in their order. */
  List<OfSet> sets() {
    return sets;
  }

  /** Nodes that have no modules of their own at all. */
  List<String> bare() {
    return bare;
  }

  /** Stands for these among the places of sets. */
  int barePlace() {
    return barePlace;
  }

  /** The nodes that would have one of the sets of these places. */
  Nodes nodes(BitSet places) {
    return folded.computeIfAbsent(
        places,
        key -> {
          List<String> names = new ArrayList<>(key.get(barePlace) ? bare : List.of());
          for (OfSet each : sets) {
            if (key.get(each.set)) {
              names.addAll(each.names);
            }
          }
          return Nodes.of(names);
        });
  }
}
