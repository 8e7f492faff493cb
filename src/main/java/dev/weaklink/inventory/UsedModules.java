package dev.weaklink.inventory;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which of the added modules depmod's indexes list. */
final class UsedModules {
  /** A hundred times that of a whole kernel. */
  private static final long LONGEST_INDEX = 64L << 20;

  private final ImageFiles files;
  private final Map<String, Set<String>> listed = new HashMap<>();

  UsedModules(ImageFiles files) {
    this.files = files;
  }

  /** Reads a kernel's modules.dep, if there is one. */
  void read(KernelDirectory kernel) {
    Path file = files.file(kernel.inside().resolve("modules.dep"));
    if (file == null) {
      return;
    }
    String base = PathBytes.of(kernel.inside());
    Set<String> paths = new HashSet<>();
    for (String line : ImageFiles.lines(file, LONGEST_INDEX)) {
      if (isAdded(line)) {
        int end = line.indexOf(':');
        String path = end < 0 ? line : line.substring(0, end);
        paths.add(path.startsWith("/") ? path : base + "/" + path);
      }
    }
    listed.put(base, paths);
  }

  private static boolean isAdded(String line) {
    return line.startsWith("/")
        || line.startsWith("extra/")
        || line.startsWith("updates/")
        || line.startsWith("weak-updates/");
  }

  /** Whether a module is listed; null where there is no index. */
  @Nullable Boolean isUsed(AddedModule module) {
    Set<String> paths = listed.get(module.base());
    return paths == null ? null : Boolean.valueOf(paths.contains(module.path()));
  }
}
