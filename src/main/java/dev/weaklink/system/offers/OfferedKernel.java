package dev.weaklink.system.offers;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that a repository offers.
 *
 * @param release as {@code uname -r} would say it
 * @param repository where it is offered, in the package manager's words
 * @param packages what comes with this kernel alone, by name: image, modules, headers
 * @param headers the one of them with its Module.symvers; null if there is none
 */
public record OfferedKernel(
    String release,
    String repository,
    List<OfferedPackage> packages,
    @Nullable OfferedPackage headers) {
  public OfferedKernel {
    packages = List.copyOf(packages);
  }
}
