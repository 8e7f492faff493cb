package dev.weaklink.audit;

import dev.weaklink.audit.Audit.Gathered;
import java.util.ArrayList;
import java.util.BitSet;
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
final class Boots {
  private final SortedMap<Integer, List<String>> bySet = new TreeMap<>();
  private final Map<BitSet, Nodes> folded = new HashMap<>();
  private int bare;

  private Boots(Census census, @Nullable String release) {
    for (Census.Kind kind : census.kinds()) {
      Gathered deciding = kind.deciding(release);
      if (deciding == null) {
        bare += kind.names().size();
      } else {
        bySet.computeIfAbsent(deciding.place, key -> new ArrayList<>()).addAll(kind.names());
      }
    }
  }

  /** For all the targets of an audit. */
  static final class OfAll {
    private final Census census;
    private final Set<String> releases = new HashSet<>();
    private final Map<@Nullable String, Boots> known = new HashMap<>();

    OfAll(Census census) {
      this.census = census;
      for (Gathered gathered : census.gathered()) {
        releases.add(gathered.set.kernel());
      }
    }

    Boots on(@Nullable String release) {
      String own = release != null && releases.contains(release) ? release : null;
      return known.computeIfAbsent(own, key -> new Boots(census, key));
    }
  }

  /** The places of the sets that nodes would have. */
  Set<Integer> sets() {
    return bySet.keySet();
  }

  /** How many nodes would have a set. */
  int count(int set) {
    return bySet.getOrDefault(set, List.of()).size();
  }

  /** How many nodes have no modules of their own at all. */
  int bare() {
    return bare;
  }

  /** The nodes that would have one of these sets. */
  Nodes nodes(BitSet sets) {
    return folded.computeIfAbsent(
        sets,
        key -> {
          List<String> names = new ArrayList<>();
          key.stream().forEach(set -> names.addAll(bySet.getOrDefault(set, List.of())));
          return Nodes.of(names);
        });
  }

  /** The nodes that would have this set. */
  Nodes nodes(int set) {
    BitSet one = new BitSet();
    one.set(set);
    return nodes(one);
  }
}
