package dev.weaklink.compat;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.ModuleNames;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The modules of a package and the kernel that they are for.
 *
 * @param kernel the release whose module directory contains all of the modules
 * @param files the absolute paths of the modules, sorted
 */
record KmpFiles(String kernel, List<String> files) {
    private static final List<String> PARENTS = List.of("/usr/lib/modules/", "/lib/modules/");
    private static final List<String> NOT_FOR_PACKAGES = List.of("kernel", "weak-updates");

    /**
     * Selects the modules from a package's files.
     *
     * @param owner the package's name for messages
     * @return null if the package has no modules
     * @throws UnreadableException if the modules are for several kernels, or in a directory reserved for the kernel or
     *     for links
     */
    static @Nullable KmpFiles of(String owner, Iterable<String> paths) throws UnreadableException {
        TreeSet<String> files = new TreeSet<>();
        TreeSet<String> kernels = new TreeSet<>();
        for (String path : paths) {
            String place = place(path);
            if (place == null || !ModuleNames.isModuleFile(PathFormat.fileName(path))) {
                continue;
            }
            int slash = place.indexOf('/');
            if (NOT_FOR_PACKAGES.contains(place.substring(0, slash))) {
                throw new UnreadableException(
                        "Error: package " + owner + " must not install modules into kernel/ or weak-updates/");
            }
            files.add(path);
            kernels.add(release(path));
        }
        if (kernels.size() > 1) {
            throw new UnreadableException(
                    "Error: package " + owner + " seems to contain modules for multiple kernel versions");
        }
        return files.isEmpty() ? null : new KmpFiles(kernels.first(), new ArrayList<>(files));
    }

    /**
     * Returns a module's path below its kernel's directory, such as {@code updates/a/a.ko}. Returns null if the path is
     * not normalized, or the file is not in a subdirectory of a kernel's directory.
     */
    static @Nullable String place(String path) {
        for (String parent : PARENTS) {
            if (path.startsWith(parent) && PathFormat.clean(path).equals(path)) {
                int slash = path.indexOf('/', parent.length());
                boolean deep = slash > parent.length() && path.indexOf('/', slash + 1) > 0;
                return deep ? path.substring(slash + 1) : null;
            }
        }
        return null;
    }

    private static String release(String path) {
        return String.valueOf(PathFormat.releaseOf(path));
    }
}
