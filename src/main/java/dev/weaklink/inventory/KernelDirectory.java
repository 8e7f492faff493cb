package dev.weaklink.inventory;

import dev.weaklink.tree.ModulesDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a kernel's modules.
 *
 * @param release as bytes
 * @param inside as seen from inside the root
 * @param installed whether it has what a kernel brings, and not only modules that were added
 */
record KernelDirectory(String release, Path inside, boolean installed) {
  private static final List<String> LISTS =
      List.of("modules.order", "modules.dep", "modules.builtin");

  /** All of a root, sorted by release. */
  static List<KernelDirectory> all(ImageFiles files) {
    TreeSet<Path> releases = new TreeSet<>(ImageFiles.BY_BYTES);
    for (String parent : ModulesDirectory.PARENTS) {
      Path directory = files.directory(parent);
      if (directory != null) {
        releases.addAll(ImageFiles.names(directory));
      }
    }
    List<KernelDirectory> found = new ArrayList<>();
    for (Path release : releases) {
      KernelDirectory kernel = find(files, release);
      if (kernel != null) {
        found.add(kernel);
      }
    }
    return found;
  }

  /** That which looks like a kernel's comes first. */
  private static @Nullable KernelDirectory find(ImageFiles files, Path release) {
    KernelDirectory shell = null;
    for (String parent : ModulesDirectory.PARENTS) {
      Path inside = Path.of(parent).resolve(release);
      if (files.directory(inside) == null) {
        continue;
      }
      boolean installed = isKernel(files, inside);
      if (shell == null || installed) {
        shell = new KernelDirectory(PathBytes.of(release), inside, installed);
      }
      if (installed) {
        return shell;
      }
    }
    return shell;
  }

  private static boolean isKernel(ImageFiles files, Path inside) {
    if (files.directory(inside.resolve("kernel")) != null) {
      return true;
    }
    for (String list : LISTS) {
      if (files.exists(inside.resolve(list))) {
        return true;
      }
    }
    return false;
  }
}
