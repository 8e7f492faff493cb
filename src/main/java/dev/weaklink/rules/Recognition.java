package dev.weaklink.rules;

import java.util.List;

/**
 * How a product's units are recognised, each pattern with the line it is on.
 *
 * @param packages patterns of package names, without version
 * @param directories patterns of directories below that of a kernel; what is below them counts too
 * @param modules patterns of module names; one module in a unit is enough
 */
public record Recognition(
    List<Attributed<NamePattern>> packages,
    List<Attributed<NamePattern>> directories,
    List<Attributed<NamePattern>> modules) {
  /** Of nothing. */
  public static final Recognition NONE = new Recognition(List.of(), List.of(), List.of());

  public Recognition {
    packages = List.copyOf(packages);
    directories = List.copyOf(directories);
    modules = List.copyOf(modules);
  }

  /** Whether no unit can be recognised. */
  public boolean isEmpty() {
    return packages.isEmpty() && directories.isEmpty() && modules.isEmpty();
  }
}
