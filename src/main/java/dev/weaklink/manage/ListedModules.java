package dev.weaklink.manage;

import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleTree;
import dev.weaklink.tree.ModulesDirectory;
import dev.weaklink.tree.WeakLink;
import dev.weaklink.tree.WeakUpdates;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The files that depmod has found, by its own list, and what it has not seen. */
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

  /**
   * Links that depmod would choose and that are not in its list, and those in it that are gone: it
   * did not run when they were made or removed. Paths as seen from inside the root, sorted.
   *
   * @throws IOException if the kernel's directory cannot be read
   */
  static List<String> unseen(Root root, String release) throws IOException {
    ModulesDirectory directory = ModulesDirectory.find(root, release);
    if (directory == null) {
      return List.of();
    }
    Set<String> listed = of(directory);
    WeakUpdates weak = WeakUpdates.scan(root, release);
    Set<String> unseen = new TreeSet<>(chosen(root, release, missing(weak, listed)));
    Set<String> entries = new HashSet<>(weak.files());
    for (WeakLink link : weak.links()) {
      entries.add(link.inside());
    }
    for (String place : listed) {
      String inside = directory.inside() + "/" + place;
      if (place.startsWith(WeakUpdates.NAME + "/") && !isThere(inside, entries)) {
        unseen.add(inside);
      }
    }
    return new ArrayList<>(unseen);
  }

  private static List<WeakLink> missing(WeakUpdates weak, Set<String> listed) {
    List<WeakLink> missing = new ArrayList<>();
    for (WeakLink link : weak.links()) {
      if (!link.dangles() && !link.directory() && !listed.contains(link.place())) {
        missing.add(link);
      }
    }
    return missing;
  }

  /** Those that depmod would choose; to know that, the whole tree is looked at. */
  private static List<String> chosen(Root root, String release, List<WeakLink> links)
      throws IOException {
    List<String> chosen = new ArrayList<>();
    if (links.isEmpty()) {
      return chosen;
    }
    ModuleTree tree = ModuleTree.scan(root, release);
    for (WeakLink link : links) {
      ModuleFile file = tree.chosen(link.name());
      if (file != null && file.inside().equals(link.inside())) {
        chosen.add(link.inside());
      }
    }
    return chosen;
  }

  /** Whether it is one of these, or lies in a directory that one leads to. */
  private static boolean isThere(String inside, Set<String> entries) {
    for (int end = inside.length(); end > 0; end = inside.lastIndexOf('/', end - 1)) {
      if (entries.contains(inside.substring(0, end))) {
        return true;
      }
    }
    return false;
  }
}
