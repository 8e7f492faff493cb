package dev.weaklink.manage;

import dev.weaklink.tree.ModulesDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** The files that depmod has found, by its own list. */
final class ListedModules {
  private static final long MAX_SIZE = 64L << 20;

  private ListedModules() {}

  /** Paths below the kernel's directory, out of modules.dep; none if there is no such list. */
  static Set<String> of(ModulesDirectory directory) {
    Set<String> listed = new HashSet<>();
    Path file = directory.host().resolve("modules.dep");
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > MAX_SIZE) {
        return listed;
      }
      try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          int colon = line.indexOf(':');
          if (colon > 0) {
            listed.add(line.substring(0, colon));
          }
        }
      }
    } catch (IOException e) {
      // unreadable is as good as absent: depmod has to be run
      listed.clear();
    }
    return listed;
  }
}
