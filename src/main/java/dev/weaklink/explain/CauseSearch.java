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
 * A search for the changed types that each type leads to, nearest first. The search starts at all changed types
 * simultaneously and follows references backwards.
 *
 * <p>A pointer to a type costs what {@link Visibility} assigns to the type. An embedded type costs nothing, because C
 * requires its complete definition. A path ends at the first changed type on it. Costs are integers, see
 * {@link Visibility#HIDDEN}.
 *
 * <p>A second search finds the worst change that each type leads to. In this search, paths to worse changes are
 * cheaper, and a path may pass through changed types.
 */
final class CauseSearch {
    private static final int CANDIDATES = 3;

    /** The cost added for each step, so that the shorter of two equally likely paths wins. */
    private static final int STEP = 1;

    static final int LIMIT = 4000;

    private static final int CLASS = 1000;

    private static final int NONE = -1;

    /**
     * The value of {@code next} if a path of a module's search continues in slot 0 of the kernel's search.
     * {@code OF_KERNEL - n} means slot n.
     */
    private static final int OF_KERNEL = -2;

    private final TypeGraph graph;

    /**
     * The types that a path can pass, ascending. If the graph is a module's, the kernel's types are left out.
     * Prototypes are left out, because no edge of the graph leads to a prototype.
     */
    private final int[] types;

    private final int[] placeOf;

    private final int[] changed;

    private final int otherDefinitions;

    private final int[] ranks;

    /** The number of the first changed type. In a module's search, the kernel's changes have the lower numbers. */
    private final int firstChange;

    private final int[] firstUser;

    private final int[] users;
    private final boolean[] userByValue;
    private final boolean[] ends;

    /**
     * Prepares for searches.
     *
     * @param otherDefinitions the number of changed types whose definitions differ, which come first; only the search
     *     for the worst change uses the remaining types
     * @param ranks the badness of each changed type, 0 for the worst
     * @param firstChange the number of the first changed type in the results
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
     * A path to a changed type.
     *
     * @param change the number of the changed type
     * @param cost the sum of the costs along the path; in the search for the worst change, also of the change's rank
     * @param nodes the types on the path, ending with the changed type
     */
    record TypePath(int change, int cost, List<Integer> nodes) {}

    /** Returns a buffer for searches of the nearest changes; each search overwrites the previous result. */
    SearchResult room() {
        return new SearchResult(CANDIDATES);
    }

    SearchResult roomForWorst() {
        return new SearchResult(1);
    }

    /** The result of a search. Each type has a slot for each path that the search keeps for the type. */
    final class SearchResult {
        private final int candidates;
        private final int[] entry = new int[placeOf.length];
        private @Nullable SearchResult kernel;
        private final int[] costs;
        private final int[] changes;
        private final int[] next;
        private final boolean[] done;

        // A queue of slots ordered by cost (Dial's queue): for each cost the last entry; for each entry its slot, and
        // the previous entry of the same cost.
        private final int[] lastOfCost = new int[LIMIT];
        private int[] slots = new int[1 << 14];
        private int[] earlier = new int[1 << 14];
        private int queued;

        private SearchResult(int candidates) {
            this.candidates = candidates;
            costs = new int[types.length * candidates];
            changes = new int[costs.length];
            next = new int[costs.length];
            done = new boolean[costs.length];
        }

        private boolean isForWorst() {
            return candidates == 1;
        }

        /**
         * Returns the array with the cost of a pointer to each type of this graph. If the graph is a module's, the
         * array does not contain the kernel's types. The caller fills the array before a search.
         */
        int[] pointing() {
            return entry;
        }

        /**
         * Runs the search and overwrites the previous result.
         *
         * @param kernels the result for the kernel that the module was built for; null if this graph is a kernel's
         */
        void search(@Nullable SearchResult kernels) {
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
            SearchResult found = Objects.requireNonNull(kernel);
            int target = graph.target(edge);
            int first = found.firstSlot(target);
            for (int slot = first; first >= 0 && slot < first + candidates; slot++) {
                if (found.changes[slot] != NONE) {
                    int cost = found.costs[slot] + STEP + entry(edge);
                    arrive(user, found.changes[slot], cost, OF_KERNEL - slot);
                }
            }
        }

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

        private void arrive(int node, int change, int cost, int nextSlot) {
            // A path ends at the first changed type on it, so a path that continues beyond a changed type is ignored.
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

        List<TypePath> from(int type) {
            List<TypePath> ways = new ArrayList<>();
            if (graph.isNode(type) && graph.btf().kind(type) != BtfKind.FUNC_PROTO) {
                addWays(type, 0, ways);
            }
            for (int edge = graph.firstEdge(type); edge < graph.firstEdge(type + 1); edge++) {
                addWays(graph.target(edge), STEP + entry(edge), ways);
            }
            ways.sort((a, b) -> Integer.compare(a.cost, b.cost));
            return ways;
        }

        private void addWays(int type, int cost, List<TypePath> ways) {
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
                    ways.add(new TypePath(change, sum, nodes(slot)));
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
