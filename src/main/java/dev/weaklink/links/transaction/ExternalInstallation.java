package dev.weaklink.links.transaction;

import java.util.List;

/**
 * What another program was told to install, such as a package manager or DKMS, and only that one
 * can take back.
 *
 * @param run the rebuild that made it, as {@code KERNEL/N}
 * @param modules names of the modules
 * @param removal commands that remove them, for the administrator
 */
public record ExternalInstallation(String run, List<String> modules, List<String> removal) {
  public ExternalInstallation {
    modules = List.copyOf(modules);
    removal = List.copyOf(removal);
  }

  /** The kernel it is for. */
  public String kernel() {
    return run.substring(0, Math.max(0, run.lastIndexOf('/')));
  }
}
