package dev.weaklink.manage;

import dev.weaklink.source.KernelReleaseOrder;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModulesDirectory;
import dev.weaklink.tree.WeakUpdates;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Kernel directories that have a weak-updates, whether or not there still is a kernel. */
final class LinkedKernels {
  private LinkedKernels() {}

  /**
   * Their releases, from old to new.
   *
   * @throws IOException if the modules' directory is there but cannot be listed
   */
  static List<String> list(Root root) throws IOException {
    Set<String> releases = new TreeSet<>(KernelReleaseOrder.INSTANCE);
    for (String parent : ModulesDirectory.PARENTS) {
      add(root.resolve(parent), releases);
    }
    List<String> linked = new ArrayList<>();
    for (String release : releases) {
      ModulesDirectory directory = ModulesDirectory.find(root, release);
      if (directory != null
          && Files.exists(directory.host().resolve(WeakUpdates.NAME), LinkOption.NOFOLLOW_LINKS)) {
        linked.add(release);
      }
    }
    return linked;
  }

  private static void add(Path parent, Set<String> releases) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(parent)) {
      for (Path entry : entries) {
        String name = String.valueOf(entry.getFileName());
        if (!name.startsWith(".")) {
          releases.add(name);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      // a root has one of the two, or none
    } catch (DirectoryIteratorException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }
}
