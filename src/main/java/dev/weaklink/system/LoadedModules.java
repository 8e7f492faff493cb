package dev.weaklink.system;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.util.Set;
import java.util.TreeSet;

/** What is loaded on a running system. */
public final class LoadedModules {
    private static final String MODULES = "/proc/modules";
    private static final int LIMIT = 4 << 20;

    private LoadedModules() {}

    /** Names of all loaded modules, sorted; none where nothing runs. */
    public static Set<String> all(Root root) {
        Set<String> names = new TreeSet<>();
        for (String line : new RootText(root).read(MODULES, LIMIT).split("\n", -1)) {
            names.add(line.split(" ", 2)[0]);
        }
        names.remove("");
        return names;
    }

    /**
     * Names of the loaded modules that did not come with the kernel, sorted: those with an O among the taints at the
     * end of their line, as in {@code (POE)} (m_show and module_flags of kernel/module), but for live patches (K),
     * which belong to one kernel. None where nothing runs.
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
