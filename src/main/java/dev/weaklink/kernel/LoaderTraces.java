package dev.weaklink.kernel;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel's image shows of its module loader.
 *
 * @param banner linux_banner, which names who built it; null if not found
 * @param found the texts that were found; the others are not in the kernel
 * @param versionEntrySize bytes of struct modversion_info, -1 if not known
 */
public record LoaderTraces(@Nullable String banner, Set<LoaderTrace> found, int versionEntrySize) {
  public LoaderTraces {
    found = Set.copyOf(found);
  }
}
