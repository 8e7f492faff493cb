package dev.weaklink.system;

import dev.weaklink.system.ModuleTree.ModuleFile;
import java.util.ArrayList;
import java.util.List;

/** Finds the out-of-tree modules of a kernel. */
public final class OutOfTree {
    private static final List<String> DIRECTORIES = List.of("/extra/", "/updates/", "/weak-updates/");

    private OutOfTree() {}

    /**
     * Returns the files below extra, updates and weak-updates, including those that depmod would not choose, sorted by
     * path.
     */
    public static List<ModuleFile> of(ModuleTree tree) {
        List<ModuleFile> files = new ArrayList<>();
        for (ModuleFile file : tree.all()) {
            if (isOutOfTree(file, tree.directory().inside())) {
                files.add(file);
            }
        }
        return files;
    }

    /** Returns whether a path below a kernel's directory is in extra, updates or weak-updates. */
    public static boolean isDirectory(String place) {
        String path = "/" + place;
        for (String directory : DIRECTORIES) {
            if (path.startsWith(directory)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOutOfTree(ModuleFile file, String base) {
        return !file.inside().startsWith(base + "/")
                || isDirectory(file.inside().substring(base.length() + 1));
    }
}
