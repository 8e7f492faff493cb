package dev.weaklink.tree;

import java.util.ArrayList;
import java.util.List;

/** The modules of a tree that did not come with its kernel. */
public final class OutOfTree {
  private static final List<String> DIRECTORIES = List.of("/extra/", "/updates/", "/weak-updates/");

  private OutOfTree() {}

  /** The files below extra, updates and weak-updates, shadowed ones too, sorted by path. */
  public static List<ModuleFile> of(ModuleTree tree) {
    List<ModuleFile> files = new ArrayList<>();
    for (ModuleFile file : tree.all()) {
      if (isOutOfTree(file, tree.directory().inside())) {
        files.add(file);
      }
    }
    return files;
  }

  private static boolean isOutOfTree(ModuleFile file, String base) {
    for (String directory : DIRECTORIES) {
      if (file.inside().startsWith(base) && file.inside().startsWith(directory, base.length())) {
        return true;
      }
    }
    return false;
  }
}
