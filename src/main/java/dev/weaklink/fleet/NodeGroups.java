package dev.weaklink.fleet;

import dev.weaklink.fleet.Audit.BuildAbility;
import dev.weaklink.fleet.Audit.Gathered;
import dev.weaklink.fleet.AuditReport.NodeDefect;
import dev.weaklink.fleet.NodeList.SortedNodes;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Userspace;
import dev.weaklink.kernel.KernelReleaseOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** An immutable grouping of nodes by kernel and module set. */
public final class NodeGroups {
    private static final Comparator<Gathered> SETS = Comparator.comparing(
                    (Gathered gathered) -> gathered.set.kernel(), KernelReleaseOrder.INSTANCE.reversed())
            .thenComparing(gathered -> gathered.set.digest())
            .thenComparing(gathered -> gathered.set.policy());

    private final SortedNodes nodes;
    private final List<Gathered> sets;
    private final List<AlikeNodes> kinds;
    private final TriedBuilds tried;

    private NodeGroups(SortedNodes nodes, List<Gathered> sets, List<AlikeNodes> kinds) {
        this.nodes = nodes;
        this.sets = sets;
        this.kinds = kinds;
        this.tried = TriedBuilds.of(kinds);
    }

    static NodeGroups of(SortedNodes nodes, Collection<Gathered> found, List<AlikeNodes> kinds) {
        List<Gathered> sets = new ArrayList<>(found);
        sets.sort(SETS);
        for (int i = 0; i < sets.size(); i++) {
            sets.get(i).place = i;
        }
        shareProvenance(sets);
        return new NodeGroups(nodes, sets, kinds);
    }

    private static void shareProvenance(List<Gathered> sets) {
        int end;
        for (int start = 0; start < sets.size(); start = end) {
            String product = sets.get(start).product;
            Map<BuildAbility, String> builders = sets.get(start).builders;
            for (end = start + 1; end < sets.size() && areSame(sets.get(start), sets.get(end)); end++) {
                product = Provenance.common(product, sets.get(end).product);
                sets.get(end).builders.forEach((built, node) -> builders.merge(built, node, Gathered::first));
            }
            for (Gathered gathered : sets.subList(start, end)) {
                gathered.product = product;
                gathered.builders = builders;
            }
        }
    }

    private static boolean areSame(Gathered one, Gathered other) {
        return one.set.digest().equals(other.set.digest()) && one.set.kernel().equals(other.set.kernel());
    }

    /**
     * The nodes that share one inventory.
     *
     * @param sets the module sets, by kernel
     * @param joined the combined sets, by kernel, for kernels that have modules but lack some of the running kernel's
     *     modules; a combined set contains the kernel's own modules and the missing modules
     */
    record AlikeNodes(
            NodeInventory inventory, Nodes nodes, SortedMap<String, Gathered> sets, Map<String, Gathered> joined) {
        boolean hasInstalled(@Nullable String release) {
            return inventory.kernels().stream()
                    .anyMatch(kernel -> kernel.installed() && kernel.release().equals(release));
        }

        /**
         * Returns the modules that these nodes need on a kernel: the modules in the kernel's directory, and the running
         * kernel's modules that are missing there. If there are none, returns the modules of the newest kernel that has
         * any. Returns null if no kernel has modules.
         */
        @Nullable
        Gathered deciding(@Nullable String release) {
            Gathered both = release == null ? null : joined.get(release);
            if (both != null) {
                return both;
            }
            Gathered own = release == null ? null : sets.get(release);
            String running = inventory.running();
            Gathered now = running == null ? null : sets.get(running);
            if (hasModules(own) || hasModules(now)) {
                return hasModules(own) ? own : now;
            }
            Gathered newest = null;
            for (Gathered set : sets.values()) {
                if (hasModules(set) && (newest == null || set.place < newest.place)) {
                    newest = set;
                }
            }
            return newest;
        }

        Set<String> built(@Nullable Gathered set) {
            return set == null
                    ? Set.of()
                    : Provenance.of(inventory, set.set.modules()).built();
        }

        private static boolean hasModules(@Nullable Gathered set) {
            return set != null && !set.set.modules().isEmpty();
        }
    }

    /** Returns all nodes; the kind of each is its index in {@link #kinds}. */
    SortedNodes nodes() {
        return nodes;
    }

    List<Gathered> gathered() {
        return sets;
    }

    public List<AlikeNodes> kinds() {
        return kinds;
    }

    TriedBuilds tried() {
        return tried;
    }

    public List<ModuleSet> sets() {
        return sets.stream().map(gathered -> gathered.set).toList();
    }

    List<NodeDefect> running() {
        return NodeDefect.of(kinds, inventory -> String.valueOf(inventory.running()), RunningSystem::defects);
    }

    RdmaLibraries libraries() {
        return RdmaLibraries.of(kinds);
    }

    Nodes incomplete() {
        List<Nodes> incomplete = new ArrayList<>();
        for (AlikeNodes kind : kinds) {
            Userspace userspace = kind.inventory.userspace();
            if (kind.inventory.unread() > 0 || userspace != null && RdmaLibraries.hasUnknown(userspace)) {
                incomplete.add(kind.nodes);
            }
        }
        return Nodes.union(incomplete);
    }
}
