package dev.weaklink.check;

import dev.weaklink.source.FoundFile;
import org.jspecify.annotations.Nullable;

/**
 * Where it stands by which names a kernel's modules can be asked for.
 *
 * @param aliases modules.alias, null where depmod has not written one
 * @param builtIn modules.builtin.modinfo, null if there is none
 */
record ModuleIndexes(@Nullable FoundFile aliases, @Nullable FoundFile builtIn) {
  static final ModuleIndexes NONE = new ModuleIndexes(null, null);
}
