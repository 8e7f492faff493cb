package dev.weaklink.loader;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A graph of modules in which each module depends on the modules that export its imported symbols. Modules are
 * identified by their index. If several modules export one symbol, only the first of these modules counts. Pure.
 */
public final class DependencyGroups {
    private final List<BitSet> needs = new ArrayList<>();

    private DependencyGroups(List<KernelModule> modules) {
        Map<String, Integer> exporters = new HashMap<>();
        for (int i = 0; i < modules.size(); i++) {
            SymbolNames names = modules.get(i).exports().names();
            for (int s = 0; s < names.size(); s++) {
                exporters.putIfAbsent(names.name(s), i);
            }
        }
        for (int i = 0; i < modules.size(); i++) {
            needs.add(needs(i, modules.get(i).imports().names(), exporters));
        }
    }

    private static BitSet needs(int self, SymbolNames imports, Map<String, Integer> exporters) {
        BitSet needs = new BitSet();
        for (int s = 0; s < imports.size() && !exporters.isEmpty(); s++) {
            Integer exporter = exporters.get(imports.name(s));
            if (exporter != null && exporter != self) {
                needs.set(exporter);
            }
        }
        return needs;
    }

    /**
     * Returns the groups that {@code weak-modules --add-kernel} makes (do_make_groups in kmod-28-9.el9). Each module
     * that no other module depends on leads a group. The group also contains all direct and indirect dependencies of
     * that module. A module can be part of several groups. A dependency cycle that no other module needs forms one
     * group, led by its first module.
     *
     * @return the groups, each with its leading module first, then the other modules in the order of the argument
     */
    public static List<List<Integer>> ofUsers(List<KernelModule> modules) {
        DependencyGroups graph = new DependencyGroups(modules);
        TreeMap<Integer, BitSet> groups = new TreeMap<>();
        BitSet grouped = new BitSet();
        for (int i = 0; i < modules.size(); i++) {
            if (!grouped.get(i)) {
                BitSet group = graph.closure(i);
                group.stream().forEach(groups::remove);
                grouped.or(group);
                group.clear(i);
                groups.put(i, group);
            }
        }
        List<List<Integer>> lists = new ArrayList<>();
        groups.forEach((user, needed) -> {
            List<Integer> list = new ArrayList<>(List.of(user));
            needed.stream().forEach(list::add);
            lists.add(list);
        });
        return lists;
    }

    public static List<List<Integer>> connected(List<KernelModule> modules) {
        DependencyGroups graph = new DependencyGroups(modules);
        for (int i = 0; i < modules.size(); i++) {
            int user = i;
            graph.needs.get(i).stream()
                    .forEach(needed -> graph.needs.get(needed).set(user));
        }
        List<List<Integer>> groups = new ArrayList<>();
        BitSet grouped = new BitSet();
        for (int i = 0; i < modules.size(); i++) {
            if (!grouped.get(i)) {
                BitSet group = graph.closure(i);
                grouped.or(group);
                groups.add(group.stream().boxed().toList());
            }
        }
        return groups;
    }

    private BitSet closure(int start) {
        BitSet reached = new BitSet();
        reached.set(start);
        Deque<Integer> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            BitSet next = needs.get(open.remove());
            for (int n = next.nextSetBit(0); n >= 0; n = next.nextSetBit(n + 1)) {
                if (!reached.get(n)) {
                    reached.set(n);
                    open.add(n);
                }
            }
        }
        return reached;
    }
}
