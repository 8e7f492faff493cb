package dev.weaklink.kernel;

import dev.weaklink.module.Origin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The exporters of the rows of an {@link ExportTable}: vmlinux, and modules by their paths. Kernels that share exports
 * share one instance, or the beginning of one, so that the paths are indexed once for all of them.
 */
final class Exporters {
    static final Exporters NONE = new Exporters(null, List.of());

    private static final int NOT_FOUND = -1;

    private final @Nullable Exporters beginning;
    private final List<String> paths;
    private final int vmlinux;
    private volatile @Nullable Map<String, Integer> byPath;
    private volatile @Nullable Map<String, Integer> byModule;

    private Exporters(@Nullable Exporters beginning, List<String> paths) {
        this.beginning = beginning;
        this.paths = Collections.unmodifiableList(paths);
        this.vmlinux = paths.indexOf(Symvers.VMLINUX);
    }

    static Exporters of(List<String> paths) {
        return new Exporters(null, paths);
    }

    List<String> paths() {
        return paths;
    }

    /** Returns the index of vmlinux, -1 if it exports nothing. */
    int vmlinux() {
        return vmlinux;
    }

    /** Returns these exporters, followed by those of the other list that are missing here. */
    Exporters and(Exporters others) {
        List<String> all = paths;
        for (String path : others.paths) {
            if (find(path) < 0) {
                all = all == paths ? new ArrayList<>(paths) : all;
                all.add(path);
            }
        }
        return all == paths ? this : new Exporters(this, all);
    }

    int find(String path) {
        Map<String, Integer> known = byPath;
        if (known == null) {
            known = new HashMap<>();
            for (int i = start(); i < paths.size(); i++) {
                known.putIfAbsent(paths.get(i), i);
            }
            byPath = known;
        }
        int before = beginning == null ? NOT_FOUND : beginning.find(path);
        return before >= 0 ? before : known.getOrDefault(path, NOT_FOUND);
    }

    /** Returns the last exporter with the name of a module, which is not vmlinux; -1 if there is none. */
    int findModule(String name) {
        Map<String, Integer> known = byModule;
        if (known == null) {
            known = new HashMap<>();
            for (int i = start(); i < paths.size(); i++) {
                if (!paths.get(i).equals(Symvers.VMLINUX)) {
                    known.put(Origin.moduleName(paths.get(i)), i);
                }
            }
            byModule = known;
        }
        Integer last = known.get(name);
        return last != null ? last : beginning == null ? NOT_FOUND : beginning.findModule(name);
    }

    private int start() {
        return beginning == null ? 0 : beginning.paths.size();
    }
}
