package dev.weaklink.explain;

import dev.weaklink.btf.BtfKind;
import dev.weaklink.btf.TypeGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The changed types that each type leads to, nearest first: a search from all changed types at
 * once, against the direction of references.
 *
 * <p>A type costs what its {@link Visibility} says where it is pointed to, and nothing where it is
 * a member: that must be complete. A way ends at the first changed type on it. Costs are whole
 * numbers, hundredths of a negative logarithm.
 */
final class CauseSearch {
  /** How many changed types are kept for each type. */
  static final int CANDIDATES = 3;

  /** What a step costs beyond what visibility says: of two ways the shorter one is taken. */
  private static final int STEP = 1;

  /** Ways that cost more are not believed. */
  private static final int LIMIT = 4000;

  private static final int NONE = -1;

  private final TypeGraph graph;

  /** The types that ways lead over, without prototypes, which nothing refers to; ascending. */
  private final int[] types;

  /** Place of each type among them. */
  private final int[] placeOf;

  /** Places of the changed types. */
  private final int[] changed;

  /** Where those that refer to a type begin in {@code users}. */
  private final int[] firstUser;

  private final int[] users;
  private final boolean[] userByValue;

  CauseSearch(TypeGraph graph, int[] changedTypes) {
    this.graph = graph;
    int size = graph.btf().size();
    this.types =
        IntStream.range(0, size)
            .filter(id -> graph.isNode(id) && graph.btf().kind(id) != BtfKind.FUNC_PROTO)
            .toArray();
    this.placeOf = new int[size];
    for (int i = 0; i < types.length; i++) {
      placeOf[types[i]] = i;
    }
    this.changed = Arrays.stream(changedTypes).map(id -> placeOf[id]).toArray();
    this.firstUser = new int[types.length + 2];
    int edges = graph.firstEdge(size);
    this.users = new int[edges];
    this.userByValue = new boolean[edges];
    turnAround();
  }

  /** Ways end at changed types, so what those refer to does not count. */
  private void turnAround() {
    boolean[] ends = new boolean[types.length];
    for (int place : changed) {
      ends[place] = true;
    }
    for (int i = 0; i < types.length; i++) {
      int end = ends[i] ? 0 : graph.firstEdge(types[i] + 1);
      for (int edge = graph.firstEdge(types[i]); edge < end; edge++) {
        firstUser[placeOf[graph.target(edge)] + 2]++;
      }
    }
    for (int i = 0; i < types.length; i++) {
      firstUser[i + 2] += firstUser[i + 1];
    }
    for (int i = 0; i < types.length; i++) {
      int end = ends[i] ? 0 : graph.firstEdge(types[i] + 1);
      for (int edge = graph.firstEdge(types[i]); edge < end; edge++) {
        int place = firstUser[placeOf[graph.target(edge)] + 1]++;
        users[place] = i;
        userByValue[place] = graph.isByValue(edge);
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

  /**
   * Searches with what it costs to point to each type.
   *
   * @param entry by number of the type
   */
  Found search(int[] entry) {
    Found found = new Found(entry);
    found.search();
    return found;
  }

  /** What one search found. Each type has as many slots as candidates. */
  final class Found {
    private final int[] entry;
    private final int[] costs;
    private final int[] changes;
    private final int[] next;

    // Slots by cost (Dial's queue): the last one put in, and for each the one before it.
    private final int[] lastOfCost = new int[LIMIT];
    private int[] slots = new int[1 << 14];
    private int[] earlier = new int[1 << 14];
    private int queued;

    private Found(int[] entry) {
      this.entry = entry;
      this.costs = new int[types.length * CANDIDATES];
      this.changes = new int[costs.length];
      this.next = new int[costs.length];
      Arrays.fill(changes, NONE);
      Arrays.fill(lastOfCost, NONE);
    }

    private void search() {
      for (int i = 0; i < changed.length; i++) {
        arrive(changed[i], i, 0, NONE);
      }
      boolean[] done = new boolean[costs.length];
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

    private void spread(int slot, int cost) {
      int node = slot / CANDIDATES;
      for (int i = firstUser[node]; i < firstUser[node + 1]; i++) {
        arrive(
            users[i], changes[slot], cost + STEP + (userByValue[i] ? 0 : entry[types[node]]), slot);
      }
    }

    /** Keeps a way if it is among the cheapest to different changes. */
    private void arrive(int node, int change, int cost, int nextSlot) {
      if (cost >= LIMIT) {
        return;
      }
      int slot = slotFor(node * CANDIDATES, change);
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
      for (int i = first; i < first + CANDIDATES; i++) {
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
        int target = graph.target(edge);
        addWays(target, STEP + (graph.isByValue(edge) ? 0 : entry[target]), ways);
      }
      ways.sort((a, b) -> Integer.compare(a.cost, b.cost));
      return ways;
    }

    private void addWays(int type, int cost, List<Way> ways) {
      int first = placeOf[type] * CANDIDATES;
      for (int slot = first; slot < first + CANDIDATES; slot++) {
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
      for (int slot = start; slot != NONE; slot = next[slot]) {
        nodes.add(types[slot / CANDIDATES]);
      }
      return nodes;
    }
  }
}
