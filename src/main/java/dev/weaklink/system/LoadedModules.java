package dev.weaklink.system;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.util.Set;
import java.util.TreeSet;

public final class LoadedModules {
    private static final String MODULES = "/proc/modules";
    private static final int LIMIT = 4 << 20;

    private LoadedModules() {}

    public static Set<String> all(Root root) {
        Set<String> names = new TreeSet<>();
        for (String line : new RootText(root).read(MODULES, LIMIT).split("\n", -1)) {
            names.add(line.split(" ", 2)[0]);
        }
        names.remove("");
        return names;
    }

    /**
     * Returns the names of the loaded out-of-tree modules, sorted. Their lines in {@code /proc/modules} end with taints
     * that include an O, as in {@code (POE)} (m_show and module_flags of kernel/module). Live patches (K) are excluded,
     * because they belong to a single kernel. The result is empty for a root directory without a running system.
     */
    public static Set<String> outOfTree(Root root) {
        Set<String> names = new TreeSet<>();
        for (String line : new RootText(root).read(MODULES, LIMIT).split("\n", -1)) {
            int taints = line.lastIndexOf(" (");
            if (taints > 0 && line.indexOf('O', taints) > 0 && line.indexOf('K', taints) < 0) {
                names.add(line.substring(0, line.indexOf(' ')));
            }
        }
        return names;
    }
}
