package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Dkms;
import dev.weaklink.fleet.intake.NodeInventory.NodeTrial;
import dev.weaklink.rebuild.Trial.TrialResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The results of the nodes' trial builds by source, compiler and kernel. If a node has a result of its own, this result
 * counts. Otherwise, the results of nodes with the same source and compiler count, unless they differ.
 */
final class TriedBuilds {
    /**
     * The results by kernel, source and node. A source is identified by its DKMS package and by the digest of its files
     * and the compiler.
     */
    private final Map<String, Map<String, SortedMap<String, Tried>>> results = new HashMap<>();

    private TriedBuilds() {}

    /**
     * The result of a trial build.
     *
     * @param works whether the kernel would load the modules
     * @param text the result for people, with a node that reported it
     */
    record Tried(boolean works, String text) {
        /**
         * Combines the results for modules.
         *
         * @param modules the modules that have to be rebuilt
         * @return the first failure by module name, else a success if the builds of all modules were tried; null if
         *     some were not tried, or if {@code modules} is empty
         */
        static @Nullable Tried of(Map<String, Tried> tried, Set<String> modules) {
            Set<String> texts = new TreeSet<>();
            boolean isComplete = !modules.isEmpty();
            for (String module : new TreeSet<>(modules)) {
                Tried one = tried.get(module);
                if (one != null && !one.works) {
                    return one;
                }
                isComplete &= one != null;
                texts.add(one == null ? "" : one.text);
            }
            return isComplete ? new Tried(true, String.join("; ", texts)) : null;
        }
    }

    static TriedBuilds of(List<NodeGroups.AlikeNodes> kinds) {
        TriedBuilds all = new TriedBuilds();
        for (NodeGroups.AlikeNodes kind : kinds) {
            String node =
                    kind.inventory().trials().isEmpty() ? "" : kind.nodes().first();
            for (NodeTrial trial : kind.inventory().trials()) {
                Tried tried = tried(trial, node);
                if (tried != null) {
                    all.results
                            .computeIfAbsent(trial.kernel(), key -> new HashMap<>())
                            .computeIfAbsent(source(trial), key -> new TreeMap<>())
                            .merge(node, tried, TriedBuilds::worse);
                }
            }
        }
        return all;
    }

    private static Tried worse(Tried one, Tried other) {
        return one.works ? other : one;
    }

    private static @Nullable Tried tried(NodeTrial trial, String node) {
        for (TrialResult result : TrialResult.values()) {
            if (result.id().equals(trial.result()) && result != TrialResult.NOT_TRIED) {
                String line = trial.line() == null ? "" : ": " + trial.line();
                String words = result.isFailure() ? result.words() + line : "works";
                return new Tried(!result.isFailure(), "tried on " + node + " (" + trial.day() + "): " + words);
            }
        }
        return null;
    }

    Set<String> kernels() {
        return results.keySet();
    }

    Map<String, Tried> of(NodeInventory inventory, @Nullable String kernel) {
        Map<String, Tried> tried = new HashMap<>();
        if (kernel == null || results.isEmpty()) {
            return tried;
        }
        sources(inventory).forEach((module, source) -> {
            Tried one = result(source, kernel, inventory);
            if (one != null) {
                tried.put(module, one);
            }
        });
        return tried;
    }

    private SortedMap<String, Tried> reported(String source, String kernel) {
        return results.getOrDefault(kernel, Map.of()).getOrDefault(source, Collections.emptySortedMap());
    }

    private @Nullable Tried result(String source, String kernel, NodeInventory inventory) {
        Boolean own = null;
        for (NodeTrial trial : inventory.trials()) {
            Tried tried = tried(trial, "");
            if (tried != null && trial.kernel().equals(kernel) && source(trial).equals(source)) {
                own = tried.works && !Boolean.FALSE.equals(own);
            }
        }
        Tried first = null;
        for (Tried one : reported(source, kernel).values()) {
            boolean counts = own == null || own == one.works;
            if (counts && first != null && first.works != one.works) {
                return null;
            }
            first = counts && first == null ? one : first;
        }
        return first;
    }

    boolean fails(Map<String, String> sources, Collection<String> modules, @Nullable String kernel) {
        if (kernel == null) {
            return false;
        }
        for (String module : modules) {
            String source = sources.get(module);
            if (source != null && reported(source, kernel).values().stream().anyMatch(one -> !one.works)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the source of each module that a node's DKMS packages build. A package without reported builds counts as
     * one module with the package's name. Modules with several sources, or with an unknown source, are left out.
     */
    static Map<String, String> sources(NodeInventory inventory) {
        Map<String, Set<String>> all = new HashMap<>();
        for (Dkms dkms : inventory.dkms()) {
            List<String> modules = new ArrayList<>();
            if (dkms.builds() != null) {
                modules.addAll(List.of(dkms.builds().split(" ")));
            } else {
                modules.add(dkms.module().replace('-', '_'));
            }
            String source = source(dkms.module() + "/" + dkms.version(), dkms.source());
            modules.forEach(module ->
                    all.computeIfAbsent(module, key -> new HashSet<>()).add(source));
        }
        Map<String, String> sources = new HashMap<>();
        all.forEach((module, found) -> {
            String source = found.iterator().next();
            if (found.size() == 1 && !source.isEmpty()) {
                sources.put(module, source);
            }
        });
        return sources;
    }

    private static String source(NodeTrial trial) {
        return source(trial.product(), trial.source());
    }

    private static String source(String product, @Nullable String digest) {
        return digest == null ? "" : product + " " + digest;
    }
}
