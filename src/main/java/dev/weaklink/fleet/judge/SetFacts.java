package dev.weaklink.fleet.judge;

import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.module.KernelModule;
import java.util.List;
import java.util.SortedMap;

/**
 * What is known of the modules of a set.
 *
 * @param key equal for sets of the same files on nodes of the same policy
 * @param policy of the nodes, about signatures
 * @param known those that can be judged, each distinct one the same object in all sets
 * @param unknown names of the others, and why nothing is known of them
 */
record SetFacts(
    String key, NodePolicy policy, List<KernelModule> known, SortedMap<String, String> unknown) {
  SetFacts {
    known = List.copyOf(known);
  }
}
