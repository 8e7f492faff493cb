package dev.weaklink.links;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one {@code apply --rebuild} did, for the transactions it makes: rebuilds whose modules were
 * installed just before links are made, and that go back with them.
 *
 * @param runs as {@code KERNEL/N}
 * @param modules names of what was installed, by kernel
 * @param group the number that its transactions have in common; 0 if there is one only
 */
public record InstalledRuns(List<String> runs, Map<String, Set<String>> modules, int group) {
  public static final InstalledRuns NONE = new InstalledRuns(List.of(), Map.of(), 0);

  public InstalledRuns {
    runs = List.copyOf(runs);
    modules = Map.copyOf(modules);
  }
}
