package dev.weaklink.links.transaction;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleFile;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.WeakLink;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A kernel's module directory as depmod needs it, made of links to an image's files: every link of
 * the image is resolved inside the image already, its depmod.d applied, and nothing is there but
 * the one file of each module that depmod is to take. So depmod reads nothing outside the image and
 * needs no configuration.
 *
 * @param base what takes the place of "/" for depmod
 * @param modules the kernel's directory below it
 */
record DepmodMirror(Path base, Path modules, String release) {
  /** What a kernel brings along and depmod reads. */
  private static final List<String> KERNELS_OWN =
      List.of("modules.order", "modules.builtin", "modules.builtin.modinfo");

  private static final String CONFIGURATION = "depmod.conf";

  /**
   * Makes it.
   *
   * @param base a directory that does not exist
   * @throws IOException if that is impossible, or a module of the image's depmod.d is outside its
   *     kernel's directory
   */
  static DepmodMirror make(Root root, KernelDirectory kernel, Path base) throws IOException {
    Path modules = base.resolve("usr/lib/modules").resolve(kernel.release());
    DurableFiles.createDirectories(modules);
    // Which of the two depmod looks into was decided when it was built.
    Files.createSymbolicLink(base.resolve("lib"), Path.of("usr/lib"));
    Files.createFile(base.resolve(CONFIGURATION));
    for (String name : KERNELS_OWN) {
      Path file = root.resolve(root.inside(kernel.host().resolve(name)));
      if (Files.isRegularFile(file)) {
        Files.createSymbolicLink(modules.resolve(name), file);
      }
    }
    DepmodMirror mirror = new DepmodMirror(base, modules, kernel.release());
    ModuleTree tree = ModuleTree.scan(root, kernel.release());
    mirror.addModules(tree.changed(file -> false, spelledFromOutside(root, kernel.release())));
    return mirror;
  }

  /**
   * What links lead to that have the image's directory in front: they dangle inside it, but are
   * what was asked for, and right as long as the image stays where it is.
   */
  private static List<ModuleFile> spelledFromOutside(Root root, String release) throws IOException {
    List<ModuleFile> files = new ArrayList<>();
    for (WeakLink link : WeakUpdates.scan(root, release).links()) {
      String inside = link.dangles() ? root.withoutTop(link.target()) : null;
      Path file = inside == null ? null : root.resolve(inside);
      if (file != null && Files.isRegularFile(file)) {
        files.add(new ModuleFile(link.name(), link.inside(), file));
      }
    }
    return files;
  }

  private void addModules(ModuleTree tree) throws IOException {
    String prefix = tree.directory().inside() + "/";
    Set<Path> made = new HashSet<>();
    for (String name : tree.names()) {
      ModuleFile file = tree.chosen(name);
      if (file == null) {
        continue;
      }
      if (!file.inside().startsWith(prefix)) {
        throw new IOException(
            file.inside()
                + " is an external module of the image's depmod.d: run depmod inside the image");
      }
      Path link = modules.resolve(file.inside().substring(prefix.length()));
      if (made.add(link.resolveSibling(""))) {
        Files.createDirectories(link.resolveSibling(""));
      }
      Files.createSymbolicLink(link, file.host());
    }
  }

  /** What depmod is to be called with. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("-b");
    arguments.add(base.toString());
    arguments.add("-C");
    arguments.add(base.resolve(CONFIGURATION).toString());
    arguments.add(release);
    return arguments;
  }
}
