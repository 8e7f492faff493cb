package dev.weaklink.inventory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What DKMS knows of a version of a module, by its directory. Texts are bytes.
 *
 * @param state added, built or installed
 * @param kernel null if the state is added
 * @param arch null if the state is added
 */
record DkmsBuild(
    String module, String version, String state, @Nullable String kernel, @Nullable String arch) {
  /** All of a root, sorted. */
  static List<DkmsBuild> all(ImageFiles files) {
    List<DkmsBuild> builds = new ArrayList<>();
    Path tree = files.directory("/var/lib/dkms");
    if (tree == null) {
      return builds;
    }
    for (Path module : ImageFiles.directories(tree)) {
      for (Path version : ImageFiles.directories(tree.resolve(module))) {
        Path source = tree.resolve(module).resolve(version).resolve("source");
        if (Files.isSymbolicLink(source) || Files.isDirectory(source)) {
          addVersion(tree.resolve(module), version, builds);
        }
      }
    }
    return builds;
  }

  private static void addVersion(Path module, Path version, List<DkmsBuild> builds) {
    int before = builds.size();
    Path directory = module.resolve(version);
    for (Path kernel : ImageFiles.directories(directory)) {
      for (Path arch : ImageFiles.directories(directory.resolve(kernel))) {
        Path built = directory.resolve(kernel).resolve(arch).resolve("module");
        if (Files.isDirectory(built, LinkOption.NOFOLLOW_LINKS)) {
          builds.add(build(module, version, kernel, arch));
        }
      }
    }
    if (builds.size() == before) {
      builds.add(new DkmsBuild(name(module), PathBytes.of(version), "added", null, null));
    }
  }

  private static DkmsBuild build(Path module, Path version, Path kernel, Path arch) {
    String release = PathBytes.of(kernel);
    String machine = PathBytes.of(arch);
    String mark = "kernel-" + release + "-" + machine;
    String place = PathBytes.of(version) + "/" + release + "/" + machine;
    boolean installed = place.equals(linkNamed(module, mark));
    String state = installed ? "installed" : "built";
    return new DkmsBuild(name(module), PathBytes.of(version), state, release, machine);
  }

  /** What is written in the link of this name, given as bytes. */
  private static @Nullable String linkNamed(Path directory, String name) {
    for (Path entry : ImageFiles.names(directory)) {
      Path path = directory.resolve(entry);
      if (PathBytes.of(entry).equals(name) && Files.isSymbolicLink(path)) {
        try {
          return PathBytes.of(Files.readSymbolicLink(path));
        } catch (IOException e) {
          return null;
        }
      }
    }
    return null;
  }

  private static String name(Path module) {
    Path name = module.getFileName();
    return name == null ? "" : PathBytes.of(name);
  }
}
