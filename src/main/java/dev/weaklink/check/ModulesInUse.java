package dev.weaklink.check;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.LoadedModules;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.OutOfTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The out-of-tree modules in use: those of all installed kernels, and those loaded.
 *
 * @param names their names, sorted
 * @param problems why there may be others that could not be checked
 */
record ModulesInUse(Set<String> names, List<InputProblem> problems) {
    /** Whether all of them are known. */
    boolean complete() {
        return problems.isEmpty();
    }

    /**
     * Finds them.
     *
     * @param running whether the root is that of the running system
     */
    static ModulesInUse find(InstalledModules installed, Root root, boolean running) {
        List<InputProblem> problems = new ArrayList<>();
        Set<String> names = new TreeSet<>(installed.names());
        for (String name : running ? LoadedModules.outOfTree(root) : Set.<String>of()) {
            if (installed.build(name, null) != null || installed.chosen(name, null) != null) {
                names.add(name);
            } else {
                problems.add(new InputProblem(name, "loaded from out of tree, but no kernel has a file of it"));
            }
        }
        if (installed.kernels().isEmpty()) {
            problems.add(new InputProblem(
                    root.toString(),
                    "no kernel is installed in it, so the modules in use are not known; name them: weaklink"
                            + " check MODULE"
                            + root.words()));
        }
        problems.addAll(installed.unreadable());
        for (String kernel : installed.kernels()) {
            addMissing(installed.tree(kernel), names.isEmpty(), problems);
        }
        return new ModulesInUse(names, problems);
    }

    /** Links that lead nowhere count where there is nothing else: what they were made for is gone. */
    private static void addMissing(@Nullable ModuleTree tree, boolean dangling, List<InputProblem> problems) {
        if (tree == null) {
            return;
        }
        for (InputProblem problem : tree.problems()) {
            boolean telling = dangling || !problem.harmless();
            if (telling && isAdded(problem.subject(), tree.directory().inside())) {
                problems.add(new InputProblem(problem.subject(), problem.message()));
            }
        }
    }

    private static boolean isAdded(String path, String base) {
        return path.equals(base)
                || path.startsWith(base + "/") && OutOfTree.isDirectory(path.substring(base.length() + 1) + "/");
    }
}
