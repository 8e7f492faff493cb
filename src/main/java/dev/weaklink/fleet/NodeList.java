package dev.weaklink.fleet;

import dev.weaklink.fleet.Nodes.Fleet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/** The nodes of an audit. Each node has a kind: the index of its inventory among the distinct inventories. */
final class NodeList {
    private static final int FIRST_LENGTH = 1 << 10;

    private String[] names = new String[FIRST_LENGTH];
    private int[] kinds = new int[FIRST_LENGTH];
    private int size;

    private record NodeOfKind(String name, int kind) {}

    void add(String name, int kind) {
        if (size == names.length) {
            names = Arrays.copyOf(names, 2 * size);
            kinds = Arrays.copyOf(kinds, 2 * size);
        }
        names[size] = name;
        kinds[size++] = kind;
    }

    /** Returns the nodes sorted, so that sets of them can be made. */
    SortedNodes sorted() {
        if (!isSorted()) {
            sort();
        }
        return new SortedNodes(new Fleet(Arrays.copyOf(names, size)), Arrays.copyOf(kinds, size));
    }

    /** Returns whether the nodes are sorted; large inputs mostly are. */
    private boolean isSorted() {
        for (int i = 1; i < size; i++) {
            if (NodeSet.ORDER.compare(names[i - 1], names[i]) > 0) {
                return false;
            }
        }
        return true;
    }

    private void sort() {
        List<NodeOfKind> nodes = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            nodes.add(new NodeOfKind(names[i], kinds[i]));
        }
        nodes.sort((one, other) -> NodeSet.ORDER.compare(one.name, other.name));
        for (int i = 0; i < size; i++) {
            names[i] = nodes.get(i).name;
            kinds[i] = nodes.get(i).kind;
        }
    }

    /**
     * The sorted nodes.
     *
     * @param kinds the kind of each node of the fleet
     */
    record SortedNodes(Fleet fleet, int[] kinds) {
        int size() {
            return kinds.length;
        }

        /** Returns the nodes of each kind. */
        List<Nodes> byKind(int count) {
            int[] left = new int[count];
            for (int kind : kinds) {
                left[kind]++;
            }
            int[][] indexes = new int[count][];
            for (int kind = 0; kind < count; kind++) {
                indexes[kind] = new int[left[kind]];
            }
            for (int i = kinds.length - 1; i >= 0; i--) {
                indexes[kinds[i]][--left[kinds[i]]] = i;
            }
            List<Nodes> nodes = new ArrayList<>(count);
            for (int[] each : indexes) {
                nodes.add(fleet.set(each));
            }
            return nodes;
        }

        Nodes ofKinds(IntPredicate included) {
            int[] indexes = new int[kinds.length];
            int count = 0;
            for (int i = 0; i < kinds.length; i++) {
                if (included.test(kinds[i])) {
                    indexes[count++] = i;
                }
            }
            return fleet.set(Arrays.copyOf(indexes, count));
        }
    }
}
