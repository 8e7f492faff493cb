package dev.weaklink.manage;

import dev.weaklink.source.InstalledKernels;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModulesDirectory;
import dev.weaklink.tree.WeakUpdates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.List;

/** Kernel directories that have a weak-updates, whether or not there still is a kernel. */
final class LinkedKernels {
  private LinkedKernels() {}

  /**
   * Their releases, from old to new.
   *
   * @throws IOException if the modules' directory is there but cannot be listed
   */
  static List<String> list(Root root) throws IOException {
    List<String> linked = new ArrayList<>();
    for (String release : InstalledKernels.directories(root)) {
      ModulesDirectory directory = ModulesDirectory.find(root, release);
      if (directory != null
          && Files.exists(directory.host().resolve(WeakUpdates.NAME), LinkOption.NOFOLLOW_LINKS)) {
        linked.add(release);
      }
    }
    return linked;
  }
}
