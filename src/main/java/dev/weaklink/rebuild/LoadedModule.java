package dev.weaklink.rebuild;

import java.util.List;

/**
 * A module that is loaded, as /proc/modules and /sys/module say.
 *
 * @param name its name
 * @param srcversion digest of its source; empty if the kernel does not say
 * @param buildId build-id in hex; empty if the kernel does not say
 * @param references how many use it: modules and others
 * @param holders the modules that use it
 */
public record LoadedModule(
    String name, String srcversion, String buildId, int references, List<String> holders) {
  public LoadedModule {
    holders = List.copyOf(holders);
  }

  /** Whether something other than modules uses it: an interface, a mount, a process. */
  public boolean isBusy() {
    return references > holders.size();
  }
}
