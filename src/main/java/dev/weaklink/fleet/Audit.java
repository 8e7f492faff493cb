package dev.weaklink.fleet;

import dev.weaklink.fleet.NodeList.SortedNodes;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.NodeKernel;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.system.OutOfTree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Collects nodes and groups them. Nodes with equal inventories are processed once. */
public final class Audit {
    private final NodeList nodes = new NodeList();

    /** The index of each distinct inventory. */
    private final Map<NodeInventory, Integer> inventories = new LinkedHashMap<>();

    /** The same indexes by the identity of the inventory object, because comparing inventories is slow. */
    private final Map<NodeInventory, Integer> same = new IdentityHashMap<>();

    /** Adds a node. The caller adds each name once. */
    public void add(String name, NodeInventory inventory) {
        Integer index = same.get(inventory);
        if (index == null) {
            index = inventories.computeIfAbsent(inventory, key -> inventories.size());
            same.put(inventory, index);
        }
        nodes.add(name, index);
    }

    public NodeGroups census() {
        Map<ModuleSet, Gathered> sets = new HashMap<>();
        Map<List<Module>, Map<KernelPolicy, Gathered>> seen = new HashMap<>();
        List<NodeGroups.AlikeNodes> kinds = new ArrayList<>();
        SortedNodes sorted = nodes.sorted();
        List<Nodes> byKind = sorted.byKind(inventories.size());
        inventories.forEach((inventory, index) -> {
            SortedMap<String, Gathered> byKernel = new TreeMap<>();
            modules(inventory)
                    .forEach((kernel, modules) -> byKernel.put(
                            kernel,
                            seen.computeIfAbsent(modules, key -> new HashMap<>())
                                    .computeIfAbsent(
                                            new KernelPolicy(kernel, inventory.policy()),
                                            key -> gathered(key, modules, sets))));
            Map<String, Gathered> joined = joined(inventory, byKernel, sets);
            Nodes alike = byKind.get(index);
            byKernel.forEach((kernel, gathered) -> gathered.add(inventory, alike));
            joined.forEach((kernel, gathered) -> gathered.add(inventory, alike));
            kinds.add(new NodeGroups.AlikeNodes(inventory, alike, byKernel, joined));
        });
        return NodeGroups.of(sorted, sets.values(), kinds);
    }

    private record KernelPolicy(String kernel, NodePolicy policy) {}

    /**
     * Returns the combined sets, by kernel, for kernels that have modules but lack some of the running kernel's
     * modules. A combined set contains the kernel's own modules, and the missing modules as if they were linked.
     */
    private static Map<String, Gathered> joined(
            NodeInventory inventory, Map<String, Gathered> byKernel, Map<ModuleSet, Gathered> sets) {
        Map<String, Gathered> joined = new HashMap<>();
        Gathered running = byKernel.get(String.valueOf(inventory.running()));
        if (running == null) {
            return joined;
        }
        byKernel.forEach((kernel, own) -> {
            if (own != running && !own.set.modules().isEmpty()) {
                List<Module> lacking = own.lacking(running);
                if (!lacking.isEmpty()) {
                    List<Module> all = new ArrayList<>(own.set.modules());
                    all.addAll(lacking);
                    joined.put(kernel, gathered(new KernelPolicy(kernel, inventory.policy()), all, sets));
                }
            }
        });
        return joined;
    }

    private static Gathered gathered(KernelPolicy of, List<Module> modules, Map<ModuleSet, Gathered> sets) {
        return sets.computeIfAbsent(ModuleSet.of(of.kernel, modules, of.policy), Gathered::new);
    }

    /**
     * Returns the modules by kernel, with an empty list for a kernel without modules. The running kernel is included
     * even if its directory was removed.
     */
    private static Map<String, List<Module>> modules(NodeInventory inventory) {
        Map<String, List<Module>> modules = new HashMap<>();
        for (NodeKernel kernel : inventory.kernels()) {
            modules.put(kernel.release(), new ArrayList<>());
        }
        if (inventory.running() != null) {
            modules.put(inventory.running(), new ArrayList<>());
        }
        for (Module module : inventory.modules()) {
            modules.computeIfAbsent(module.kernel(), key -> new ArrayList<>()).add(module);
        }
        return modules;
    }

    /**
     * The modules that nodes can build.
     *
     * @param built the names of these modules
     * @param sources the source of each module by module name, as far as it is known ({@link TriedBuilds#sources})
     */
    record BuildAbility(Set<String> built, Map<String, String> sources) {}

    /**
     * A module set with the nodes that have it. {@link NodeGroups} assigns {@code place}, the index of the set among
     * all sets, after all nodes were collected.
     */
    static final class Gathered {
        final ModuleSet set;
        private final List<Module> chosen;
        private final List<Module> outside = new ArrayList<>();
        private final List<Nodes> nodes = new ArrayList<>();

        /** The product and version of the set's modules; null if unknown, or if the nodes report different products. */
        @Nullable
        String product;

        /**
         * The first node, by name, for each {@link BuildAbility}. Nodes that can build none of the set's modules are
         * left out.
         */
        Map<BuildAbility, String> builders = new HashMap<>();

        int running;
        int place;

        Gathered(ModuleSet set) {
            this.set = set;
            this.chosen = set.chosen();
            for (Module module : chosen) {
                String directory = "/" + module.kernel() + "/";
                int at = module.path().indexOf(directory);
                if (at >= 0 && !OutOfTree.isDirectory(module.path().substring(at + directory.length()))) {
                    outside.add(module);
                }
            }
        }

        /**
         * Returns the names of the modules that weaklink cannot link for a kernel. Their files are in another kernel's
         * directory, outside of extra, updates and weak-updates.
         */
        Set<String> stuckOutside(@Nullable String release) {
            Set<String> names = new TreeSet<>();
            for (Module module : outside) {
                if (!module.kernel().equals(release)) {
                    names.add(module.name());
                }
            }
            return names;
        }

        private List<Module> lacking(Gathered other) {
            List<Module> lacking = new ArrayList<>(other.chosen);
            Set<String> own = new HashSet<>();
            chosen.forEach(module -> own.add(module.name()));
            lacking.removeIf(module -> own.contains(module.name()));
            return lacking;
        }

        /**
         * Returns the names of the modules to build for a kernel: {@link SetResult#refused} and {@link #stuckOutside}.
         */
        Set<String> toRebuild(SetResult answer, @Nullable String release) {
            Set<String> names = new HashSet<>(answer.refused());
            names.addAll(stuckOutside(release));
            return names;
        }

        /**
         * Returns the first node by name that can build all modules to rebuild. A node is skipped if a trial build of
         * its sources for the kernel failed on any node. Returns null if no node is left.
         */
        @Nullable
        String builder(SetResult answer, @Nullable String release, TriedBuilds tried) {
            Set<String> refused = toRebuild(answer, release);
            return builders.entrySet().stream()
                    .filter(entry -> entry.getKey().built().containsAll(refused))
                    .filter(entry -> !tried.fails(entry.getKey().sources(), refused, release))
                    .map(Map.Entry::getValue)
                    .min(Comparator.naturalOrder())
                    .orElse(null);
        }

        static String first(String one, String other) {
            return other.compareTo(one) < 0 ? other : one;
        }

        Nodes nodes() {
            return Nodes.union(nodes);
        }

        private void add(NodeInventory inventory, Nodes more) {
            Provenance reported = Provenance.of(inventory, set.modules());
            product = nodes.isEmpty() ? reported.product() : Provenance.common(product, reported.product());
            if (!reported.built().isEmpty()) {
                builders.merge(
                        new BuildAbility(reported.built(), TriedBuilds.sources(inventory)),
                        more.first(),
                        Gathered::first);
            }
            nodes.add(more);
            if (set.kernel().equals(inventory.running())) {
                running += more.count();
            }
        }
    }
}
