package dev.weaklink.explain;

import dev.weaklink.btf.BtfKind;
import dev.weaklink.btf.TypeGraph;
import dev.weaklink.explain.CrcCause.Certainty;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the cause of a changed CRC in the types of two kernels: the prototype itself, else the
 * changed type that the exporting file most likely saw. To ask for many symbols {@link #BY_FILE} is
 * fastest.
 */
public final class CauseFinder {
  /** Symbols of one source file one after the other. */
  public static final Comparator<String> BY_FILE =
      Comparator.comparingInt(symbol -> Visibility.shipped().fileOf(symbol));

  /** Ways up to this cost are taken for seen: no type on them is hidden from the file. */
  private static final int SEEN = 100;

  private final TypeGraph before;
  private final TypeGraph after;
  private final @Nullable CauseFinder kernel;
  private final List<TypeChange> changes;
  private final CauseSearch search;
  private final Visibility.Costs costs;
  private final TypeComparison comparison;

  /**
   * What was found for a file that is not known, and for the last one that is: each has megabytes.
   */
  private CauseSearch.@Nullable Found usual;

  private CauseSearch.@Nullable Found last;
  private int lastFile = -1;

  /** For what vmlinux exports. */
  public CauseFinder(TypeGraph before, TypeGraph after) {
    this(before, after, null);
  }

  private CauseFinder(TypeGraph before, TypeGraph after, @Nullable CauseFinder kernel) {
    this.before = before;
    this.after = after;
    this.kernel = kernel;
    ChangedTypes changed = ChangedTypes.between(before, after);
    this.changes = new ArrayList<>(kernel == null ? List.of() : kernel.changes);
    this.search = new CauseSearch(before, changed.nodes(), changes.size());
    this.changes.addAll(changed.changes());
    this.costs = Visibility.shipped().new Costs(before);
    this.comparison = new TypeComparison(before.btf(), after.btf());
  }

  /** For what a module of these kernels exports, by its own types. */
  public CauseFinder ofModule(TypeGraph moduleBefore, TypeGraph moduleAfter) {
    return new CauseFinder(moduleBefore, moduleAfter, this);
  }

  /** Why the CRC of a symbol changed; null where the types do not say. */
  public @Nullable CrcCause find(String symbol) {
    String name = declaredAs(symbol);
    Integer old = before.declared(name);
    Integer now = after.declared(name);
    if (old == null) {
      return null;
    }
    List<CauseSearch.Way> ways = ways(symbol, old);
    boolean own =
        now != null
            && before.isNode(old)
            && before.fingerprint(old) != after.fingerprint(now)
            && before.btf().kind(old) == BtfKind.FUNC_PROTO;
    if (own && now != null) {
      TypeChange change = comparison.comparePrototypes(old, now, name);
      return new CrcCause(change, List.of(symbol), Certainty.KNOWN, others(ways, 0, change));
    }
    return ways.isEmpty() ? null : cause(symbol, ways);
  }

  private List<CauseSearch.Way> ways(String symbol, int type) {
    return found(Visibility.shipped().fileOf(symbol)).from(type);
  }

  private CauseSearch.Found found(int file) {
    CauseSearch.Found known = file < 0 ? usual : file == lastFile ? last : null;
    if (known == null) {
      known = search.search(costs.of(file), kernel == null ? null : kernel.found(file));
      if (file < 0) {
        usual = known;
      } else {
        last = known;
        lastFile = file;
      }
    }
    return known;
  }

  private CrcCause cause(String symbol, List<CauseSearch.Way> ways) {
    CauseSearch.Way best = ways.get(0);
    TypeChange change = changes.get(best.change());
    List<String> path = new ArrayList<>();
    path.add(symbol);
    for (int node : best.nodes()) {
      path.add(TypeText.tag(before.btf().kind(node)) + " " + before.btf().name(node));
    }
    List<TypeChange> others = others(ways, 1, change);
    Certainty certainty = others.isEmpty() ? Certainty.ONLY : Certainty.LIKELY;
    if (!others.isEmpty() && Visibility.shipped().fileOf(symbol) >= 0 && best.cost() < SEEN) {
      certainty = Certainty.KNOWN;
    }
    return new CrcCause(change, path, certainty, others);
  }

  private List<TypeChange> others(List<CauseSearch.Way> ways, int from, TypeChange without) {
    List<TypeChange> others = new ArrayList<>();
    for (CauseSearch.Way way : ways.subList(Math.min(from, ways.size()), ways.size())) {
      TypeChange change = changes.get(way.change());
      if (!change.equals(without) && !others.contains(change) && others.size() < 2) {
        others.add(change);
      }
    }
    return others;
  }

  /** A tracepoint's variables have the CRC of its prototype, which one of its functions has. */
  private static String declaredAs(String symbol) {
    for (String prefix : List.of("__tracepoint_", "__SCK__tp_func_", "__SCT__tp_func_")) {
      if (symbol.startsWith(prefix)) {
        return "__traceiter_" + symbol.substring(prefix.length());
      }
    }
    return symbol;
  }
}
