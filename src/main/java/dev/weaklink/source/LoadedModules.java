package dev.weaklink.source;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** What is loaded on a running system. */
public final class LoadedModules {
  private static final String MODULES = "/proc/modules";
  private static final int LIMIT = 4 << 20;

  private LoadedModules() {}

  /**
   * Names of the loaded modules that did not come with the kernel, sorted: those with an O among
   * the taints at the end of their line, as in {@code (POE)} (m_show and module_flags of
   * kernel/module), but for live patches (K), which belong to one kernel. None where nothing runs.
   */
  public static Set<String> outOfTree(Root root) {
    Set<String> names = new TreeSet<>();
    for (String line : lines(root)) {
      int taints = line.lastIndexOf(" (");
      if (taints > 0 && line.indexOf('O', taints) > 0 && line.indexOf('K', taints) < 0) {
        names.add(line.substring(0, line.indexOf(' ')));
      }
    }
    return names;
  }

  private static String[] lines(Root root) {
    try {
      Path file = root.resolve(MODULES);
      if (!Files.isRegularFile(file)) {
        return new String[0];
      }
      try (InputStream in = Files.newInputStream(file)) {
        return new String(in.readNBytes(LIMIT), StandardCharsets.UTF_8).split("\n", -1);
      }
    } catch (IOException e) {
      // Without /proc nothing is known of what is loaded; what is installed has to do.
      return new String[0];
    }
  }
}
