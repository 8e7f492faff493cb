package dev.weaklink.check;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.LoadedModules;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The out-of-tree modules in use: modules installed for any kernel, and loaded modules that have a file.
 *
 * @param names the names of the modules, sorted
 * @param gone modules that were in use and no longer have a build, sorted by name
 * @param problems the reasons why other modules may be in use, too
 */
public record ModulesInUse(Set<String> names, List<GoneModule> gone, List<InputProblem> problems) {
    /**
     * A module that was in use.
     *
     * @param name the module's name
     * @param kernel the kernel that had a link to a build of the module
     * @param detail the evidence that the module was in use, with the date if it is known
     */
    public record GoneModule(String name, String kernel, String detail) {}

    public boolean complete() {
        return problems.isEmpty();
    }

    /**
     * Finds the modules in use.
     *
     * @param running whether the root is that of the running system
     * @param removed modules whose links were removed
     */
    public static ModulesInUse find(InstalledModules installed, Root root, boolean running, List<GoneModule> removed) {
        List<InputProblem> problems = new ArrayList<>();
        Set<String> names = new TreeSet<>(installed.names());
        for (String name : running ? LoadedModules.outOfTree(root) : Set.<String>of()) {
            if (installed.build(name, null) != null || installed.chosen(name, null) != null) {
                names.add(name);
            } else {
                problems.add(new InputProblem(name, "out-of-tree module is loaded, but its file is not installed"));
            }
        }
        if (installed.kernels().isEmpty()) {
            problems.add(new InputProblem(
                    root.toString(),
                    "contains no installed kernel, so the modules in use are unknown. Next: weaklink"
                            + " check MODULE --kernel KERNEL"
                            + root.words()));
        }
        problems.addAll(installed.unreadable());
        List<GoneModule> gone = gone(installed, root, removed, problems);
        for (String kernel : installed.kernels()) {
            addMissing(installed.tree(kernel), names.isEmpty() && gone.isEmpty(), problems);
        }
        return new ModulesInUse(names, gone, problems);
    }

    private static List<GoneModule> gone(
            InstalledModules installed, Root root, List<GoneModule> removed, List<InputProblem> problems) {
        Map<String, GoneModule> gone = new TreeMap<>();
        for (String kernel : installed.kernels()) {
            try {
                for (WeakLink link : WeakUpdates.scan(root, kernel).links()) {
                    if (link.dangles() && ModuleNames.isModuleFile(link.fileName())) {
                        String detail = "the link " + link.inside() + " leads to " + link.target()
                                + ", which no longer exists; 'weaklink repair " + ShellWord.of(link.inside())
                                + root.words() + "' removes the link";
                        gone.put(link.name(), new GoneModule(link.name(), kernel, detail));
                    }
                }
            } catch (IOException e) {
                problems.add(new InputProblem(kernel, IoReason.of(e)));
            }
        }
        removed.forEach(module -> gone.putIfAbsent(module.name(), module));
        gone.keySet().removeIf(name -> installed.build(name, null) != null);
        return List.copyOf(gone.values());
    }

    /**
     * Adds the problems that may hide modules in use. Harmless problems, such as dangling links, are added only if
     * {@code dangling} is true, because no module in use was found.
     */
    private static void addMissing(@Nullable ModuleTree tree, boolean dangling, List<InputProblem> problems) {
        if (tree == null) {
            return;
        }
        for (InputProblem problem : tree.problems()) {
            boolean telling = dangling || !problem.harmless();
            if (telling && mayHideModules(problem.subject(), tree)) {
                problems.add(new InputProblem(problem.subject(), problem.message()));
            }
        }
    }

    private static boolean mayHideModules(String path, ModuleTree tree) {
        String base = tree.directory().inside();
        boolean isBelow = path.startsWith(base + "/");
        return path.equals(base) || (isBelow && !tree.isListed(path.substring(base.length() + 1)));
    }
}
