package dev.weaklink.system;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The modules of all kernels below a root directory; each kernel's tree is scanned on first use. The preferred build of
 * a module for a kernel is the kernel's own build. The build for the newest older kernel is next, then the build for
 * the oldest newer kernel.
 */
public final class InstalledModules {
    private static final String LINKS = "weak-updates/";

    private final Root root;
    private final List<String> kernels;
    private final Map<String, ModuleTree> trees = new HashMap<>();
    private final Map<String, InputProblem> unreadable = new TreeMap<>();

    public InstalledModules(Root root) {
        this.root = root;
        List<String> listed = List.of();
        try {
            listed = InstalledKernels.list(root);
        } catch (IOException e) {
            String message = "kernels cannot be listed: " + IoReason.of(e);
            unreadable.put("", new InputProblem(root.toString(), message));
        }
        this.kernels = listed;
    }

    /**
     * A module file of an installed kernel.
     *
     * @param kernel the release whose module tree contains the file
     */
    public record InstalledBuild(String kernel, ModuleFile file) {}

    public List<String> kernels() {
        return List.copyOf(kernels);
    }

    public List<InputProblem> unreadable() {
        return List.copyOf(unreadable.values());
    }

    public @Nullable ModuleTree tree(String kernel) {
        if (!trees.containsKey(kernel) && !unreadable.containsKey(kernel)) {
            try {
                trees.put(kernel, ModuleTree.scan(root, kernel));
            } catch (IOException e) {
                unreadable.put(kernel, new InputProblem(kernel, IoReason.of(e)));
            }
        }
        return trees.get(kernel);
    }

    public Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (String kernel : kernels) {
            ModuleTree tree = tree(kernel);
            if (tree != null) {
                OutOfTree.of(tree).forEach(file -> names.add(file.name()));
            }
        }
        return names;
    }

    /**
     * Returns the preferred out-of-tree build of a module.
     *
     * @param kernel the release whose build is preferred; if it has none, the build of another kernel is returned; null
     *     to prefer the newest kernel
     * @return the build, null if no kernel has one
     */
    public @Nullable InstalledBuild build(String name, @Nullable String kernel) {
        String normalized = ModuleNames.normalized(name);
        List<InstalledBuild> builds = first(tree -> named(tree, normalized), kernel);
        return builds.isEmpty() ? null : builds.get(0);
    }

    /**
     * Returns the file that depmod chooses for a module name, in-tree or not; null if there is none.
     *
     * @param kernel as in {@link #build}
     */
    public @Nullable InstalledBuild chosen(String name, @Nullable String kernel) {
        List<InstalledBuild> files = first(
                tree -> {
                    ModuleFile file = tree.chosen(name);
                    return file == null ? List.of() : List.of(file);
                },
                kernel);
        return files.isEmpty() ? null : files.get(0);
    }

    /**
     * Returns the out-of-tree modules below a directory such as {@code extra/driver}, sorted by path. {@code driver}
     * alone also means a directory of this name right below a directory such as extra or updates. All results are of
     * {@code kernel}, or of one other kernel if {@code kernel} has none.
     */
    public List<InstalledBuild> below(String directory, String kernel) {
        return first(tree -> below(tree, directory), kernel);
    }

    /**
     * Returns the file as a build in its kernel's own directory; null if the file is outside of that directory, in
     * weak-updates, or part of the kernel.
     */
    public @Nullable ModuleBuild asBuild(InstalledBuild found) {
        ModuleTree tree = tree(found.kernel());
        ModuleFile file = found.file();
        if (tree == null || !OutOfTree.of(tree).contains(file)) {
            return null;
        }
        String place = place(tree, file);
        return place.startsWith("/") || place.startsWith(LINKS)
                ? null
                : new ModuleBuild(file.name(), found.kernel(), place, file.inside(), file.host());
    }

    public boolean isChosen(InstalledBuild found) {
        ModuleTree tree = tree(found.kernel());
        return tree != null && found.file().equals(tree.chosen(found.file().name()));
    }

    public boolean isChosenAnywhere(String name) {
        for (String kernel : kernels) {
            InstalledBuild build = build(name, kernel);
            if (build != null && build.kernel().equals(kernel) && isChosen(build)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the wanted files of the most preferred kernel that has any. Files in another kernel's weak-updates
     * directory are the last choice.
     */
    private List<InstalledBuild> first(Function<ModuleTree, List<ModuleFile>> wanted, @Nullable String kernel) {
        List<String> order = new ArrayList<>(kernels);
        order.sort(kernel == null ? newestFirst() : KernelReleaseOrder.preferredFor(kernel));
        for (boolean links : List.of(false, true)) {
            for (String other : order) {
                ModuleTree tree = tree(other);
                List<InstalledBuild> found = new ArrayList<>();
                if (tree != null) {
                    for (ModuleFile file : wanted.apply(tree)) {
                        if (links || other.equals(kernel) || !place(tree, file).startsWith(LINKS)) {
                            found.add(new InstalledBuild(other, file));
                        }
                    }
                }
                if (!found.isEmpty()) {
                    return found;
                }
            }
        }
        return List.of();
    }

    private static Comparator<String> newestFirst() {
        return KernelReleaseOrder.INSTANCE.reversed();
    }

    private static List<ModuleFile> named(ModuleTree tree, String name) {
        List<ModuleFile> files = new ArrayList<>();
        ModuleFile chosen = tree.chosen(name);
        for (ModuleFile file : OutOfTree.of(tree)) {
            if (file.name().equals(name)) {
                files.add(file.equals(chosen) ? 0 : files.size(), file);
            }
        }
        return files;
    }

    private static List<ModuleFile> below(ModuleTree tree, String directory) {
        List<ModuleFile> files = new ArrayList<>();
        for (ModuleFile file : OutOfTree.of(tree)) {
            String place = place(tree, file);
            if (place.equals(directory)
                    || place.startsWith(directory + "/")
                    || place.startsWith(directory + "/", place.indexOf('/') + 1)) {
                files.add(file);
            }
        }
        return files;
    }

    private static String place(ModuleTree tree, ModuleFile file) {
        return tree.directory().place(file.inside());
    }
}
