package dev.weaklink.rebuild;

import dev.weaklink.rules.RebuildHint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a group of modules can be built from.
 *
 * @param backend id of the backend; empty if none is known
 * @param product what it is called on the command line; empty if it has no name
 * @param packages DKMS packages {@code name/version} that build it
 * @param reason what shows that, or what is missing, for people
 * @param rule the site's rule that says so; null if none does
 */
public record Source(
    String backend,
    String product,
    List<String> packages,
    String reason,
    @Nullable RebuildHint rule) {
  public Source {
    packages = List.copyOf(packages);
  }

  /** Told by what a system shows. */
  Source(String backend, String product, List<String> packages, String reason) {
    this(backend, product, packages, reason, null);
  }
}
