package dev.weaklink.explain;

import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The changed types that each type leads to, nearest first: a search from all changed types at once, against the
 * direction of references.
 *
 * <p>A type costs what its {@link Visibility} says where it is pointed to, and nothing where it is a member: that must
 * be complete. A way ends at the first changed type on it. Costs are whole numbers, hundredths of a negative logarithm.
 *
 * <p>The worst change within reach is searched for in the same way: one candidate a type, the ways to worse changes
 * cheaper than any other's, and through changed types as well.
 */
final class CauseSearch {
    /** How many changed types are kept for each type. */
    private static final int CANDIDATES = 3;

    /** What a step costs beyond what visibility says: of two ways the shorter one is taken. */
    private static final int STEP = 1;

    /** Ways that cost more are not believed. */
    static final int LIMIT = 4000;

    /** How much more a way to a change costs than one to a worse change, if the worst is wanted. */
    private static final int CLASS = 1000;

    private static final int NONE = -1;

    /** Slots of what was found for the kernel, where the next one on a way is meant, count down. */
    private static final int OF_KERNEL = -2;

    private final TypeGraph graph;

    /** The graph's own types that ways lead over: no prototypes, which nothing refers to; ascending. */
    private final int[] types;

    /** Place among them of each own type. */
    private final int[] placeOf;

    /** Places of the changed types, those whose definitions differ first. */
    private final int[] changed;

    /** The number of changed types whose definitions differ; the layout of the others does. */
    private final int otherDefinitions;

    /** How bad each of them is, 0 for the worst. */
    private final int[] ranks;

    /** Number of the first of them: those of the kernel that a module was built with come before. */
    private final int firstChange;

    /** Where those that refer to a type begin in {@code users}. */
    private final int[] firstUser;

    private final int[] users;
    private final boolean[] userByValue;
    private final boolean[] ends;

    /**
     * Prepares for searches.
     *
     * @param otherDefinitions the number of changed types whose definitions differ, which come first; only the search
     *     for the worst change begins at the others
     * @param ranks how bad each of them is, 0 for the worst
     * @param firstChange number of the first of the changed types in what is found
     */
    CauseSearch(TypeGraph graph, int[] changedTypes, int otherDefinitions, int[] ranks, int firstChange) {
        this.otherDefinitions = otherDefinitions;
        this.ranks = ranks;
        this.graph = graph;
        this.firstChange = firstChange;
        int size = graph.btf().size();
        this.types = IntStream.range(graph.first(), size)
                .filter(id -> graph.isNode(id) && graph.btf().kind(id) != BtfKind.FUNC_PROTO)
                .toArray();
        this.placeOf = new int[size - graph.first()];
        for (int i = 0; i < types.length; i++) {
            placeOf[types[i] - graph.first()] = i;
        }
        this.changed = Arrays.stream(changedTypes)
                .map(id -> placeOf[id - graph.first()])
                .toArray();
        this.ends = new boolean[types.length];
        for (int i = 0; i < otherDefinitions; i++) {
            ends[changed[i]] = true;
        }
        this.firstUser = new int[types.length + 2];
        int edges = graph.firstEdge(size) - graph.firstEdge(graph.first());
        this.users = new int[edges];
        this.userByValue = new boolean[edges];
        turnAround();
    }

    private void turnAround() {
        forOwnEdges((user, edge) -> firstUser[placeOf[graph.target(edge) - graph.first()] + 2]++);
        for (int i = 0; i < types.length; i++) {
            firstUser[i + 2] += firstUser[i + 1];
        }
        forOwnEdges((user, edge) -> {
            int place = firstUser[placeOf[graph.target(edge) - graph.first()] + 1]++;
            users[place] = user;
            userByValue[place] = graph.isByValue(edge);
        });
    }

    private interface EdgeVisitor {
        void visit(int user, int edge);
    }

    private void forOwnEdges(EdgeVisitor visitor) {
        forEdges(true, visitor);
    }

    private void forEdges(boolean own, EdgeVisitor visitor) {
        for (int i = 0; i < types.length; i++) {
            for (int edge = graph.firstEdge(types[i]); edge < graph.firstEdge(types[i] + 1); edge++) {
                if (graph.target(edge) >= graph.first() == own) {
                    visitor.visit(i, edge);
                }
            }
        }
    }

    /**
     * A way to a changed type.
     *
     * @param change which of the changed types, by its place among them
     * @param cost near 0 if every type on the way is surely complete where the function is defined
     * @param nodes the types on it, the changed one last
     */
    record Way(int change, int cost, List<Integer> nodes) {}

    /** Room for the nearest changes that searches find, one after another. */
    Found room() {
        return new Found(CANDIDATES);
    }

    /** Room for the worst change within reach. */
    Found roomForWorst() {
        return new Found(1);
    }

    /** What one search found. Each type has as many slots as candidates. */
    final class Found {
        private final int candidates;
        private final int[] entry = new int[placeOf.length];
        private @Nullable Found kernel;
        private final int[] costs;
        private final int[] changes;
        private final int[] next;
        private final boolean[] done;

        // Slots by cost (Dial's queue): the last one put in, and for each the one before it.
        private final int[] lastOfCost = new int[LIMIT];
        private int[] slots = new int[1 << 14];
        private int[] earlier = new int[1 << 14];
        private int queued;

        private Found(int candidates) {
            this.candidates = candidates;
            costs = new int[types.length * candidates];
            changes = new int[costs.length];
            next = new int[costs.length];
            done = new boolean[costs.length];
        }

        private boolean isForWorst() {
            return candidates == 1;
        }

        /** What it costs to point to each type, from the first own one on; to be set before a search. */
        int[] pointing() {
            return entry;
        }

        /**
         * Searches; what was found before is gone.
         *
         * @param kernels what was found for the types of the kernel that a module was built with; null for a kernel
         */
        void search(@Nullable Found kernels) {
            kernel = kernels;
            queued = 0;
            Arrays.fill(changes, NONE);
            Arrays.fill(done, false);
            Arrays.fill(lastOfCost, NONE);
            for (int i = 0; i < (isForWorst() ? changed.length : otherDefinitions); i++) {
                arrive(changed[i], firstChange + i, isForWorst() ? CLASS * ranks[i] : 0, NONE);
            }
            if (kernel != null) {
                forEdges(false, this::arriveFromKernel);
            }
            for (int cost = 0; cost < LIMIT; cost++) {
                while (lastOfCost[cost] != NONE) {
                    int entered = lastOfCost[cost];
                    lastOfCost[cost] = earlier[entered];
                    int slot = slots[entered];
                    if (!done[slot] && costs[slot] == cost) {
                        done[slot] = true;
                        spread(slot, cost);
                    }
                }
            }
        }

        private void arriveFromKernel(int user, int edge) {
            Found found = Objects.requireNonNull(kernel);
            int target = graph.target(edge);
            int first = found.firstSlot(target);
            for (int slot = first; first >= 0 && slot < first + candidates; slot++) {
                if (found.changes[slot] != NONE) {
                    int cost = found.costs[slot] + STEP + entry(edge);
                    arrive(user, found.changes[slot], cost, OF_KERNEL - slot);
                }
            }
        }

        /** The first slot of an own type, -1 for a prototype. */
        private int firstSlot(int type) {
            boolean known = graph.isNode(type) && graph.btf().kind(type) != BtfKind.FUNC_PROTO;
            return known ? placeOf[type - graph.first()] * candidates : NONE;
        }

        private int entry(int edge) {
            int target = graph.target(edge);
            if (graph.isByValue(edge)) {
                return 0;
            }
            return target < graph.first() && kernel != null ? kernel.entry[target] : entry[target - graph.first()];
        }

        private void spread(int slot, int cost) {
            int node = slot / candidates;
            for (int i = firstUser[node]; i < firstUser[node + 1]; i++) {
                arrive(
                        users[i],
                        changes[slot],
                        cost + STEP + (userByValue[i] ? 0 : entry[types[node] - graph.first()]),
                        slot);
            }
        }

        /** Keeps a way if it is among the cheapest to different changes. */
        private void arrive(int node, int change, int cost, int nextSlot) {
            // Ways end at changed types, so what those refer to does not count.
            if (cost >= LIMIT || nextSlot != NONE && ends[node] && !isForWorst()) {
                return;
            }
            int slot = slotFor(node * candidates, change);
            if (changes[slot] == NONE || cost < costs[slot]) {
                changes[slot] = change;
                costs[slot] = cost;
                next[slot] = nextSlot;
                enqueue(slot, cost);
            }
        }

        /** The slot that has the change, else a free one, else the dearest. */
        private int slotFor(int first, int change) {
            int dearest = first;
            for (int i = first; i < first + candidates; i++) {
                if (changes[i] == change || changes[i] == NONE) {
                    return i;
                }
                dearest = costs[i] > costs[dearest] ? i : dearest;
            }
            return dearest;
        }

        private void enqueue(int slot, int cost) {
            if (queued == slots.length) {
                slots = Arrays.copyOf(slots, queued * 2);
                earlier = Arrays.copyOf(earlier, queued * 2);
            }
            slots[queued] = slot;
            earlier[queued] = lastOfCost[cost];
            lastOfCost[cost] = queued++;
        }

        /** The nearest changed types that a declaration of this type leads to, cheapest first. */
        List<Way> from(int type) {
            List<Way> ways = new ArrayList<>();
            if (graph.isNode(type) && graph.btf().kind(type) != BtfKind.FUNC_PROTO) {
                addWays(type, 0, ways);
            }
            for (int edge = graph.firstEdge(type); edge < graph.firstEdge(type + 1); edge++) {
                addWays(graph.target(edge), STEP + entry(edge), ways);
            }
            ways.sort((a, b) -> Integer.compare(a.cost, b.cost));
            return ways;
        }

        private void addWays(int type, int cost, List<Way> ways) {
            if (type < graph.first() && kernel != null) {
                kernel.addWays(type, cost, ways);
                return;
            }
            int first = firstSlot(type);
            for (int slot = first; first >= 0 && slot < first + candidates; slot++) {
                int change = changes[slot];
                int sum = cost + costs[slot];
                if (change != NONE && ways.stream().noneMatch(w -> w.change == change && w.cost <= sum)) {
                    ways.removeIf(way -> way.change == change);
                    ways.add(new Way(change, sum, nodes(slot)));
                }
            }
        }

        private List<Integer> nodes(int start) {
            List<Integer> nodes = new ArrayList<>();
            int slot = start;
            for (; slot >= 0; slot = next[slot]) {
                nodes.add(types[slot / candidates]);
            }
            if (slot <= OF_KERNEL && kernel != null) {
                nodes.addAll(kernel.nodes(OF_KERNEL - slot));
            }
            return nodes;
        }
    }
}
