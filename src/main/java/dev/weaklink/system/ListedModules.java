package dev.weaklink.system;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Compares the files that depmod listed in modules.dep with the files that exist now. */
public final class ListedModules {
    private static final int MAX_SIZE = 64 << 20;

    private ListedModules() {}

    /** Returns the paths in modules.dep, relative to the kernel's directory; empty if the file cannot be read. */
    public static Set<String> of(ModulesDirectory directory) {
        Set<String> listed = new HashSet<>();
        String list = RootText.read(directory.host().resolve("modules.dep"), MAX_SIZE);
        for (String line : list.split("\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                listed.add(line.substring(0, colon));
            }
        }
        return listed;
    }

    /**
     * Returns the result of {@link #unseen}; empty if modules.dep is missing or empty, as in an incomplete root
     * directory.
     *
     * @throws IOException if the kernel's directory cannot be read
     */
    public static List<String> missing(Root root, String release) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        return directory == null || of(directory).isEmpty() ? List.of() : unseen(root, release);
    }

    /**
     * Returns the paths for which modules.dep is outdated, as seen inside the root directory, sorted. An unlisted
     * weak-updates link or out-of-tree module is included if depmod would select it. A listed file that was removed
     * from the kernel's directory is included, unless it was below {@code kernel/}. If modules.dep is missing or empty,
     * the result contains only links.
     *
     * @throws IOException if the kernel's directory cannot be read
     */
    public static List<String> unseen(Root root, String release) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        if (directory == null) {
            return List.of();
        }
        Set<String> listed = of(directory);
        Map<String, String> missing = new TreeMap<>();
        Set<String> entries = new HashSet<>();
        WeakUpdates weak = WeakUpdates.scan(root, release);
        entries.addAll(weak.files());
        for (WeakLink link : weak.links()) {
            entries.add(link.inside());
            if (!link.dangles() && !link.directory() && !listed.contains(link.place())) {
                missing.put(link.inside(), link.name());
            }
        }
        for (ModuleBuild build : ModuleBuilds.of(root, release, new ArrayList<>())) {
            entries.add(build.inside());
            if (!listed.isEmpty() && !listed.contains(build.place())) {
                missing.put(build.inside(), build.name());
            }
        }
        Set<String> unseen = new TreeSet<>(chosen(root, release, missing));
        for (String place : listed) {
            String inside = directory.inside() + "/" + place;
            if (isRemoved(place, directory, entries)) {
                unseen.add(inside);
            }
        }
        return new ArrayList<>(unseen);
    }

    private static boolean isRemoved(String place, ModulesDirectory directory, Set<String> entries) {
        if (OutOfTree.isDirectory(place)) {
            return !isThere(directory.inside() + "/" + place, entries);
        }
        return !place.startsWith("/")
                && !place.startsWith("kernel/")
                && !Files.exists(directory.host().resolve(place), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Returns the paths of unlisted modules that depmod would select. Scans the kernel's whole directory.
     *
     * @param missing the names of the unlisted modules, by path
     */
    private static List<String> chosen(Root root, String release, Map<String, String> missing) throws IOException {
        List<String> chosen = new ArrayList<>();
        if (missing.isEmpty()) {
            return chosen;
        }
        ModuleTree tree = ModuleTree.scan(root, release);
        missing.forEach((inside, name) -> {
            ModuleFile file = tree.chosen(name);
            if (file != null && file.inside().equals(inside)) {
                chosen.add(inside);
            }
        });
        return chosen;
    }

    private static boolean isThere(String inside, Set<String> entries) {
        for (int end = inside.length(); end > 0; end = inside.lastIndexOf('/', end - 1)) {
            if (entries.contains(inside.substring(0, end))) {
                return true;
            }
        }
        return false;
    }
}
