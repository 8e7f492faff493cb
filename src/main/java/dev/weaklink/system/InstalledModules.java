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
 * The modules of all kernels in a root, each kernel's tree scanned when it is first needed; and which build a name
 * stands for on a kernel: its own, else the one for the newest kernel that is not newer, else for the oldest that is.
 */
public final class InstalledModules {
    private static final String LINKS = "weak-updates/";
    private static final String IN_TREE = "kernel/";

    private final Root root;
    private final List<String> kernels;
    private final Map<String, ModuleTree> trees = new HashMap<>();
    private final Map<String, InputProblem> unreadable = new TreeMap<>();

    /** The modules of a root. */
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
     * A module file.
     *
     * @param kernel the release in whose directory it lies
     */
    public record Found(String kernel, ModuleFile file) {}

    /** The kernels, from old to new. */
    public List<String> kernels() {
        return List.copyOf(kernels);
    }

    /** What could not be read so far: the list of kernels, and trees that were needed. */
    public List<InputProblem> unreadable() {
        return List.copyOf(unreadable.values());
    }

    /** The tree of a kernel; null if it cannot be scanned. */
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

    /** Names of the out-of-tree modules of all kernels, sorted. */
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
     * The out-of-tree build of a module that is meant on a kernel.
     *
     * @param kernel a release; null for the newest build there is
     */
    public @Nullable Found build(String name, @Nullable String kernel) {
        String normalized = ModuleNames.normalized(name);
        List<Found> builds = first(tree -> named(tree, normalized), kernel);
        return builds.isEmpty() ? null : builds.get(0);
    }

    /**
     * The file that depmod chooses for a name, wherever it lies: on the kernel that is meant, as for {@link #build}.
     */
    public @Nullable Found chosen(String name, @Nullable String kernel) {
        List<Found> files = first(
                tree -> {
                    ModuleFile file = tree.chosen(name);
                    return file == null ? List.of() : List.of(file);
                },
                kernel);
        return files.isEmpty() ? null : files.get(0);
    }

    /**
     * The out-of-tree modules below a directory, such as {@code extra/driver}, or {@code driver} for one of that name
     * right below extra or updates; those of one kernel, sorted by path.
     */
    public List<Found> below(String directory, String kernel) {
        return first(tree -> below(tree, directory), kernel);
    }

    /** It as one of the builds below extra and updates; null if it lies elsewhere. */
    public @Nullable ModuleBuild asBuild(Found found) {
        ModuleTree tree = tree(found.kernel());
        ModuleFile file = found.file();
        String place = tree == null ? "" : place(tree, file);
        return place.indexOf('/') <= 0 || place.startsWith(LINKS) || place.startsWith(IN_TREE)
                ? null
                : new ModuleBuild(file.name(), found.kernel(), place, file.inside(), file.host());
    }

    /** Whether depmod chooses this file for its name. */
    public boolean isChosen(Found found) {
        ModuleTree tree = tree(found.kernel());
        return tree != null && found.file().equals(tree.chosen(found.file().name()));
    }

    /** Whether depmod chooses an out-of-tree build of a module on some kernel. */
    public boolean isChosenAnywhere(String name) {
        for (String kernel : kernels) {
            Found build = build(name, kernel);
            if (build != null && build.kernel().equals(kernel) && isChosen(build)) {
                return true;
            }
        }
        return false;
    }

    /** Links of another kernel count only where there is no file. */
    private List<Found> first(Function<ModuleTree, List<ModuleFile>> wanted, @Nullable String kernel) {
        List<String> order = new ArrayList<>(kernels);
        order.sort(kernel == null ? newestFirst() : KernelReleaseOrder.preferredFor(kernel));
        for (boolean links : List.of(false, true)) {
            for (String other : order) {
                ModuleTree tree = tree(other);
                List<Found> found = new ArrayList<>();
                if (tree != null) {
                    for (ModuleFile file : wanted.apply(tree)) {
                        if (links || other.equals(kernel) || !place(tree, file).startsWith(LINKS)) {
                            found.add(new Found(other, file));
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

    /** The one that depmod chooses comes first, wherever it lies but among the kernel's own. */
    private static List<ModuleFile> named(ModuleTree tree, String name) {
        List<ModuleFile> files = new ArrayList<>();
        ModuleFile chosen = tree.chosen(name);
        if (chosen != null && !place(tree, chosen).startsWith(IN_TREE)) {
            files.add(chosen);
        }
        for (ModuleFile file : OutOfTree.of(tree)) {
            if (file.name().equals(name) && !file.equals(chosen)) {
                files.add(file);
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

    /** The path below the kernel's directory; of a file elsewhere, the whole. */
    private static String place(ModuleTree tree, ModuleFile file) {
        String base = tree.directory().inside() + "/";
        return file.inside().startsWith(base) ? file.inside().substring(base.length()) : file.inside();
    }
}
