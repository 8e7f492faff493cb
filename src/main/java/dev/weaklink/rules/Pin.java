package dev.weaklink.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is fixed for some modules on some kernels.
 *
 * @param providers the kernels whose builds may be linked; empty if it does not matter
 * @param link whether they are linked at all, null if that is not fixed
 */
public record Pin(List<NamePattern> providers, @Nullable LinkPolicy link) {
  public Pin {
    providers = List.copyOf(providers);
  }

  /** Whether a module built for this kernel may be linked. */
  public boolean allowsProvider(String kernel) {
    return providers.isEmpty() || Selector.any(providers, kernel);
  }
}
