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

/** The out-of-tree modules that lie in a kernel's own directory, whether it is installed or not. */
public final class ModuleBuilds {
    private static final List<String> DIRECTORIES = List.of("extra", "updates");

    private ModuleBuilds() {}

    /**
     * The modules below {@code extra} and {@code updates}, sorted by path.
     *
     * @param problems takes what could not be read, and links that lead nowhere
     * @throws IOException if the release is no plain name, or links run in circles
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
     * A module file that did not come with a kernel, below {@code extra} or {@code updates} of the kernel it was
     * installed for; ordered by its path.
     *
     * @param name the module's name, with {@code '_'} for {@code '-'}
     * @param release the kernel whose directory it lies in
     * @param place its path below that directory, such as {@code extra/a/a.ko}
     * @param inside its path as seen from inside the root
     * @param host the path to open, links resolved inside the root
     */
    public record ModuleBuild(String name, String release, String place, String inside, Path host)
            implements Comparable<ModuleBuild> {
        @Override
        public int compareTo(ModuleBuild other) {
            return inside.compareTo(other.inside);
        }

        /** The directories between {@code extra} or {@code updates} and the file, empty if none. */
        public String directory() {
            int first = place.indexOf('/');
            int last = place.lastIndexOf('/');
            return first == last ? "" : place.substring(first + 1, last);
        }
    }
}
