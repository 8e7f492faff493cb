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

/** Finds the out-of-tree modules that are installed for a kernel. The kernel itself need not be installed. */
public final class ModuleBuilds {
    private ModuleBuilds() {}

    /**
     * Returns the modules that are not part of the kernel, sorted by path. The result does not contain files below
     * weak-updates, but contains files in the external directories of depmod.d(5).
     *
     * @param problems receives errors, such as an unreadable file or a dangling link
     * @throws IOException if the release is not a valid name, or links form a cycle
     */
    public static List<ModuleBuild> of(Root root, String release, List<InputProblem> problems) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        if (directory == null) {
            return new ArrayList<>();
        }
        List<String> starts = new ArrayList<>(List.of(directory.inside()));
        starts.addAll(DepmodConfig.read(root, release).externals());
        return below(starts, directory, root, release, problems);
    }

    public static List<ModuleBuild> below(String place, Root root, String release, List<InputProblem> problems)
            throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        return directory == null
                ? new ArrayList<>()
                : below(List.of(directory.inside() + "/" + place), directory, root, release, problems);
    }

    private static List<ModuleBuild> below(
            List<String> starts, ModulesDirectory directory, Root root, String release, List<InputProblem> problems)
            throws IOException {
        List<InputProblem> met = new ArrayList<>();
        OutOfTree rules = OutOfTree.in(root, directory);
        TreeWalk walk = new TreeWalk(root, Set.of("build", "source", WeakUpdates.NAME), met)
                .trusting(path -> rules.isListed(directory.place(path)));
        for (String start : starts) {
            Path host = root.resolve(start);
            if (Files.isDirectory(host)) {
                walk.start(start, host);
            }
        }
        List<ModuleBuild> builds = new ArrayList<>();
        for (ModuleFile file : rules.among(walk.found())) {
            builds.add(
                    new ModuleBuild(file.name(), release, directory.place(file.inside()), file.inside(), file.host()));
        }
        met.removeIf(problem -> rules.isListed(directory.place(problem.subject())));
        problems.addAll(met);
        builds.sort(null);
        return builds;
    }

    /**
     * A module file that is not part of a kernel but is installed for it; ordered by path.
     *
     * @param name the module's name, with {@code '_'} for {@code '-'}
     * @param release the kernel whose directory contains the file, or whose depmod.d(5) lines name the file's external
     *     directory
     * @param place the path below the kernel's directory, such as {@code extra/a/a.ko}; the whole path if the file is
     *     outside of that directory
     * @param inside the path inside the root directory
     * @param host the path to open, with links resolved inside the root directory
     */
    public record ModuleBuild(String name, String release, String place, String inside, Path host)
            implements Comparable<ModuleBuild> {
        @Override
        public int compareTo(ModuleBuild other) {
            return inside.compareTo(other.inside);
        }

        /**
         * Returns whether weak-updates links may point to the file. Only modules below extra and updates are linked.
         */
        public boolean isLinkable() {
            return OutOfTree.isDirectory(place);
        }

        public String directory() {
            int first = place.indexOf('/');
            int last = place.lastIndexOf('/');
            return first == last ? "" : place.substring(first + 1, last);
        }
    }
}
