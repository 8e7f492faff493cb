package dev.weaklink.manage;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rebuilds whose modules were installed just before links are made, and that go back with them.
 *
 * @param runs as {@code KERNEL/N}
 * @param modules names of what was installed, by kernel
 */
public record InstalledRuns(List<String> runs, Map<String, Set<String>> modules) {
  public static final InstalledRuns NONE = new InstalledRuns(List.of(), Map.of());

  public InstalledRuns {
    runs = List.copyOf(runs);
    modules = Map.copyOf(modules);
  }
}
