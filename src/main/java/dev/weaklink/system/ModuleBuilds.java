package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds the out-of-tree modules in a kernel's own directory, even if the kernel is not installed. */
public final class ModuleBuilds {
    private static final List<String> DIRECTORIES = List.of("extra", "updates");

    private ModuleBuilds() {}

    /**
     * Returns the modules below {@code extra} and {@code updates}, sorted by path.
     *
     * @param problems receives unreadable files and dangling links
     * @throws IOException if the release is not a valid name, or links form a cycle
     */
    public static List<ModuleBuild> of(Root root, String release, List<InputProblem> problems) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        List<ModuleBuild> builds = new ArrayList<>();
        if (directory == null) {
            return builds;
        }
        TreeWalk walk = new TreeWalk(root, Set.of("build", "source"), problems);
        for (String name : DIRECTORIES) {
            String inside = directory.inside() + "/" + name;
            Path host = root.resolve(inside);
            if (Files.isDirectory(host)) {
                walk.start(inside, host);
            }
        }
        int base = directory.inside().length() + 1;
        for (ModuleFile file : walk.found()) {
            builds.add(
                    new ModuleBuild(file.name(), release, file.inside().substring(base), file.inside(), file.host()));
        }
        builds.sort(null);
        return builds;
    }

    /**
     * An out-of-tree module file in {@code extra} or {@code updates} of the kernel that it was installed for; ordered
     * by path.
     *
     * @param name the module's name, with {@code '_'} for {@code '-'}
     * @param release the kernel whose directory contains the file
     * @param place the path below that directory, such as {@code extra/a/a.ko}
     * @param inside the path inside the root directory
     * @param host the path to open, with links resolved inside the root directory
     */
    public record ModuleBuild(String name, String release, String place, String inside, Path host)
            implements Comparable<ModuleBuild> {
        @Override
        public int compareTo(ModuleBuild other) {
            return inside.compareTo(other.inside);
        }

        /** Returns the directories between {@code extra} or {@code updates} and the file; may be empty. */
        public String directory() {
            int first = place.indexOf('/');
            int last = place.lastIndexOf('/');
            return first == last ? "" : place.substring(first + 1, last);
        }
    }
}
