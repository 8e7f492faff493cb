package dev.weaklink.compat;

import dev.weaklink.module.KernelModule;
import java.util.Collection;
import java.util.List;

/**
 * A link that exists or may be made.
 *
 * @param place its path below the kernel's directory, {@code weak-updates/…}
 * @param target what is written in it
 * @param release the kernel that the module was built for
 * @param module the facts of the file it leads to
 * @param readable whether these are known
 */
record ModuleLink(
    String place, String target, String release, KernelModule module, boolean readable) {
  /** The file's name, as messages have it. */
  String fileName() {
    return PathFormat.fileName(target);
  }

  /** The same, with other facts of the file. */
  ModuleLink with(KernelModule facts) {
    return facts == module ? this : new ModuleLink(place, target, release, facts, readable);
  }

  /** The files that links lead to, in order. */
  static List<KernelModule> modules(Collection<ModuleLink> links) {
    return links.stream().map(ModuleLink::module).toList();
  }
}
