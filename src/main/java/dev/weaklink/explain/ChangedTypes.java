package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.TypeChange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * The named types whose definition or layout differs between two kernels. A kernel can define several types of one
 * name. A type of the older kernel counts as changed if the newer kernel lacks this definition, but has a new
 * definition of the same name.
 *
 * <p>Types with equal definitions but moved members come last. An attribute of a type, such as packed or aligned, can
 * move members without a new CRC: genksyms hashes only the attributes of members. A type that only contains a changed
 * type is not in the list.
 *
 * @param nodes the older kernel's type of each change, ascending within each of the two parts
 * @param changes the changes, in the same order; equal changes occur if several types have one name
 * @param otherDefinitions the number of types whose definitions differ, which come first
 */
record ChangedTypes(int[] nodes, List<TypeChange> changes, int otherDefinitions) {
    /** The maximum number of changes; kernels that differ in more types belong to different series. */
    private static final int MAX_CHANGES = 20_000;

    private static final int MAX_DEPTH = 64;

    static ChangedTypes between(TypeGraph before, TypeGraph after) {
        List<Integer> nodes = new ArrayList<>();
        List<TypeChange> changes = new ArrayList<>();
        TypeComparison comparison = new TypeComparison(before.btf(), after.btf());
        List<Integer> gone = without(before, keys(after, after::definitionKey), before::definitionKey);
        List<Integer> come = without(after, keys(before, before::definitionKey), after::definitionKey);
        Map<Long, List<Integer>> byName = by(come, after::nameKey);
        Map<Long, Integer> taken = new HashMap<>();
        for (int node : gone) {
            List<Integer> others = byName.get(before.nameKey(node));
            if (others != null && nodes.size() < MAX_CHANGES) {
                int place = taken.merge(before.nameKey(node), 1, Integer::sum) - 1;
                int other = others.get(Math.min(place, others.size() - 1));
                nodes.add(node);
                changes.add(comparison.compare(node, other));
            }
        }
        int otherDefinitions = nodes.size();
        BitSet different = new BitSet();
        gone.forEach(different::set);
        List<Integer> moved = without(before, keys(after, after::layoutKey), before::layoutKey);
        Map<Long, List<Integer>> byDefinition =
                by(without(after, keys(before, before::layoutKey), after::layoutKey), after::definitionKey);
        for (int node : moved) {
            List<Integer> others = byDefinition.get(before.definitionKey(node));
            if (others != null
                    && nodes.size() < MAX_CHANGES
                    && sameParts(before.btf(), node, after.btf(), others.get(0), 0)
                    && !contains(before.btf(), node, different)) {
                nodes.add(node);
                changes.add(comparison.compare(node, others.get(0)));
            }
        }
        return new ChangedTypes(nodes.stream().mapToInt(Integer::intValue).toArray(), changes, otherDefinitions);
    }

    ChangedTypes moved() {
        int[] rest = Arrays.copyOfRange(nodes, otherDefinitions, nodes.length);
        return new ChangedTypes(rest, changes.subList(otherDefinitions, changes.size()), rest.length);
    }

    private static long[] keys(TypeGraph graph, IntToLongFunction key) {
        long[] all = new long[graph.btf().size() - graph.first()];
        int count = 0;
        for (int id = graph.first(); id < graph.btf().size(); id++) {
            if (isNamed(graph, id)) {
                all[count++] = key.applyAsLong(id);
            }
        }
        long[] sorted = Arrays.copyOf(all, count);
        Arrays.sort(sorted);
        return sorted;
    }

    private static boolean isNamed(TypeGraph graph, int id) {
        return graph.isNode(id) && graph.btf().kind(id) != BtfKind.FUNC_PROTO;
    }

    private static List<Integer> without(TypeGraph graph, long[] others, IntToLongFunction key) {
        List<Integer> rest = new ArrayList<>();
        for (int id = graph.first(); id < graph.btf().size(); id++) {
            if (isNamed(graph, id) && Arrays.binarySearch(others, key.applyAsLong(id)) < 0) {
                rest.add(id);
            }
        }
        return rest;
    }

    private static Map<Long, List<Integer>> by(List<Integer> types, IntToLongFunction key) {
        Map<Long, List<Integer>> all = new HashMap<>();
        for (int id : types) {
            all.computeIfAbsent(key.applyAsLong(id), any -> new ArrayList<>(1)).add(id);
        }
        return all;
    }

    /**
     * Returns whether each member has the same size in both kernels. If so, no member grew, and something else moved
     * the members.
     */
    private static boolean sameParts(Btf before, int old, Btf after, int now, int depth) {
        int was = TypeComparison.bare(before, old).type();
        int is = TypeComparison.bare(after, now).type();
        if (!before.kind(was).isComposite() || depth > MAX_DEPTH) {
            return true;
        }
        for (int i = 0; i < Math.min(before.members(was), after.members(is)); i++) {
            int part = before.memberType(was, i);
            int other = after.memberType(is, i);
            boolean flat = before.kind(part).isComposite() && !before.isNamed(part);
            boolean same =
                    flat ? sameParts(before, part, after, other, depth + 1) : size(before, part) == size(after, other);
            if (!same) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether a type embeds (and does not just point to) a type whose definition differs. The embedded type can
     * move the members of the outer type, but not unnoticed: the CRC covers its changed definition.
     */
    private static boolean contains(Btf btf, int type, BitSet different) {
        BitSet seen = new BitSet();
        Deque<Integer> open = new ArrayDeque<>(List.of(type));
        while (!open.isEmpty()) {
            int part = open.remove();
            if (different.get(part)) {
                return true;
            }
            if (seen.get(part)) {
                continue;
            }
            seen.set(part);
            BtfKind kind = btf.kind(part);
            if (kind == BtfKind.ARRAY) {
                open.add(btf.element(part));
            } else if (kind == BtfKind.TYPEDEF || kind.isQualifier()) {
                open.add(btf.type(part));
            }
            for (int i = 0; kind.isComposite() && i < btf.members(part); i++) {
                open.add(btf.memberType(part, i));
            }
        }
        return false;
    }

    /**
     * Returns the size of a type in bytes; 0 for a pointer and for other types without their own size. A pointer has
     * the same size in both kernels.
     */
    private static long size(Btf btf, int type) {
        long count = 1;
        int bare = TypeComparison.bare(btf, type).type();
        for (int i = 0; btf.kind(bare) == BtfKind.ARRAY && i < MAX_DEPTH; i++) {
            count *= Integer.toUnsignedLong(btf.length(bare));
            bare = TypeComparison.bare(btf, btf.element(bare)).type();
        }
        return switch (btf.kind(bare)) {
            case INT, STRUCT, UNION, ENUM, ENUM64, FLOAT -> count * Integer.toUnsignedLong(btf.byteSize(bare));
            default -> 0;
        };
    }
}
