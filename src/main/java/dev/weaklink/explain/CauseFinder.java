package dev.weaklink.explain;

import dev.weaklink.btf.BtfKind;
import dev.weaklink.btf.TypeGraph;
import dev.weaklink.explain.CrcCause.Certainty;
import dev.weaklink.sys.Workers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the causes of changed CRCs in the types of two kernels: the prototype itself, else the
 * changed type that the exporting file most likely saw.
 */
public final class CauseFinder {
  /** Ways up to this cost are taken for seen: no type on them is hidden from the file. */
  private static final int SEEN = 100;

  private static final int UNKNOWN_FILE = -1;

  private final TypeGraph before;
  private final TypeGraph after;
  private final @Nullable CauseFinder kernel;
  private final List<TypeChange> changes;
  private final CauseSearch search;
  private final Visibility.Costs costs;
  private final TypeComparison comparison;
  private final WayText wayText;

  /** What is reached from files that are not known, which most files of modules are. */
  private CauseSearch.@Nullable Found usual;

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
    this.wayText = new WayText(before.btf());
  }

  /** For what a module of these kernels exports, by its own types. */
  public CauseFinder ofModule(TypeGraph moduleBefore, TypeGraph moduleAfter) {
    return new CauseFinder(moduleBefore, moduleAfter, this);
  }

  /** What a thread has of the file it is at; each is megabytes, used for one file after another. */
  private final class FileView {
    private final @Nullable FileView kernels = kernel == null ? null : kernel.new FileView();
    private CauseSearch.@Nullable Found room;

    CauseSearch.Found of(int file) {
      if (file == UNKNOWN_FILE) {
        return usual();
      }
      CauseSearch.Found found = room == null ? search.room() : room;
      room = found;
      return filled(found, file, kernels == null ? null : kernels.of(file));
    }
  }

  private CauseSearch.Found filled(
      CauseSearch.Found room, int file, CauseSearch.@Nullable Found kernels) {
    costs.write(file, room.pointing());
    room.search(kernels);
    return room;
  }

  private synchronized CauseSearch.Found usual() {
    CauseSearch.Found known = usual;
    if (known == null) {
      known = filled(search.room(), UNKNOWN_FILE, kernel == null ? null : kernel.usual());
      usual = known;
    }
    return known;
  }

  /**
   * Why the CRCs of these symbols changed; those of which the types do not say are left out.
   *
   * @param threads how many threads search, each another source file
   */
  public Map<String, CrcCause> find(Collection<String> symbols, int threads) {
    Map<Integer, List<String>> byFile = new TreeMap<>();
    for (String symbol : symbols) {
      byFile
          .computeIfAbsent(Visibility.shipped().fileOf(symbol), file -> new ArrayList<>())
          .add(symbol);
    }
    List<Map.Entry<Integer, List<String>>> files = List.copyOf(byFile.entrySet());
    Map<String, CrcCause> causes = new ConcurrentHashMap<>();
    Workers.start(
            files.size(),
            threads,
            () -> {
              FileView view = new FileView();
              return i ->
                  addCauses(files.get(i).getValue(), view.of(files.get(i).getKey()), causes);
            })
        .finish();
    return causes;
  }

  private void addCauses(
      List<String> symbols, CauseSearch.Found found, Map<String, CrcCause> causes) {
    for (String symbol : symbols) {
      CrcCause cause = cause(symbol, found);
      if (cause != null) {
        causes.put(symbol, cause);
      }
    }
  }

  private @Nullable CrcCause cause(String symbol, CauseSearch.Found found) {
    String name = declaredAs(symbol);
    Integer old = before.declared(name);
    Integer now = after.declared(name);
    if (old == null) {
      return null;
    }
    List<CauseSearch.Way> ways = found.from(old);
    boolean own =
        now != null
            && before.isNode(old)
            && before.fingerprint(old) != after.fingerprint(now)
            && before.btf().kind(old) == BtfKind.FUNC_PROTO;
    if (own && now != null) {
      TypeChange change = comparison.comparePrototypes(old, now, name);
      List<String> itself = List.of(symbol);
      return new CrcCause(change, itself, itself, Certainty.KNOWN, others(ways, 0, change));
    }
    return ways.isEmpty() ? null : cause(symbol, old, ways);
  }

  private CrcCause cause(String symbol, int declared, List<CauseSearch.Way> ways) {
    CauseSearch.Way best = ways.get(0);
    TypeChange change = changes.get(best.change());
    List<String> path = new ArrayList<>();
    path.add(symbol);
    for (int node : best.nodes()) {
      path.add(TypeText.tag(before.btf().kind(node)) + " " + before.btf().name(node));
    }
    List<TypeChange> others = others(ways, 1, change);
    Certainty certainty = others.isEmpty() ? Certainty.ONLY : Certainty.LIKELY;
    if (!others.isEmpty()
        && Visibility.shipped().fileOf(symbol) != UNKNOWN_FILE
        && best.cost() < SEEN) {
      certainty = Certainty.KNOWN;
    }
    List<String> way = wayText.of(symbol, declared, best.nodes(), change);
    return new CrcCause(change, path, way, certainty, others);
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
