package dev.weaklink.dialect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The facts of packages' modules, each read once however many kernels they are tried on. */
final class KmpModules {
  private final ModuleLinks reader;
  private final Map<String, List<ModuleLink>> read = new HashMap<>();

  KmpModules(BaseDirectory base, int threads) {
    this.reader = new ModuleLinks(base, threads);
  }

  /** Reads what has not been read yet, all at once. */
  void read(Collection<Kmp> kmps) throws IOException {
    List<String> paths = new ArrayList<>();
    List<Kmp> missing = new ArrayList<>();
    for (Kmp kmp : kmps) {
      if (!read.containsKey(kmp.id())) {
        missing.add(kmp);
        paths.addAll(kmp.files());
      }
    }
    List<ModuleLink> links = reader.to(paths, (path, release) -> place(path));
    int next = 0;
    for (Kmp kmp : missing) {
      int end = next + kmp.files().size();
      read.put(kmp.id(), List.copyOf(links.subList(next, end)));
      next = end;
    }
  }

  /** Where the link to a package's module belongs, below a kernel's directory. */
  static String place(String path) {
    return LinkPlace.suse(String.valueOf(KmpFiles.place(path)));
  }

  /** A package's modules, as they would be linked; it must have been read. */
  List<ModuleLink> of(Kmp kmp) {
    return read.getOrDefault(kmp.id(), List.of());
  }

  /** Whether all files of a package could be read, and no two have one module's name. */
  boolean isUsable(Kmp kmp) {
    Set<String> names = new HashSet<>();
    for (ModuleLink link : of(kmp)) {
      if (!link.readable() || !names.add(link.module().name())) {
        return false;
      }
    }
    return true;
  }
}
