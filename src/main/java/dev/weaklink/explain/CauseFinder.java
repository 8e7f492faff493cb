package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.CrcCause.Certainty;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.sys.Workers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the causes of changed CRCs in the types of two kernels: the prototype itself, else the changed type that the
 * exporting file most likely saw.
 */
public final class CauseFinder {
    /** Ways up to this cost are taken for seen: no type on them is hidden from the file. */
    private static final int SEEN = 100;

    static final int UNKNOWN_FILE = -1;

    /** genksyms does not know their type, so their CRCs never change. */
    private static final String TRAMPOLINE = "__SCT__tp_func_";

    /** How often ways are looked for that cannot be. */
    private static final int ROUNDS = 8;

    private final TypeGraph before;
    private final TypeGraph after;
    private final @Nullable CauseFinder kernel;
    private final List<TypeChange> changes;
    private final CauseSearch search;
    private final Visibility visibility;
    private final boolean genksyms;
    private final Visibility.Costs costs;
    private final TypeComparison comparison;

    /** What is reached from files that are not known, which most files of modules are. */
    private @Nullable FileView usual;

    /**
     * For what vmlinux exports.
     *
     * @param release of the older kernel, null if it is not known
     * @param genksyms whether its CRCs were made by genksyms, whose word the tables of visible types are
     */
    public CauseFinder(TypeGraph before, TypeGraph after, @Nullable String release, boolean genksyms) {
        this(before, after, Visibility.of(release), genksyms, null);
    }

    private CauseFinder(
            TypeGraph before, TypeGraph after, Visibility visibility, boolean genksyms, @Nullable CauseFinder kernel) {
        this.visibility = visibility;
        this.genksyms = genksyms;
        this.before = before;
        this.after = after;
        this.kernel = kernel;
        ChangedTypes changed = ChangedTypes.between(before, after);
        this.changes = new ArrayList<>(kernel == null ? List.of() : kernel.changes);
        int[] ranks = changed.changes().stream()
                .mapToInt(change -> change.change().ordinal())
                .toArray();
        this.search = new CauseSearch(before, changed.nodes(), ranks, changes.size());
        this.changes.addAll(changed.changes());
        this.costs = visibility.new Costs(before);
        this.comparison = new TypeComparison(before.btf(), after.btf());
    }

    /** For what a module of these kernels exports, by its own types. */
    public CauseFinder ofModule(TypeGraph moduleBefore, TypeGraph moduleAfter) {
        return new CauseFinder(moduleBefore, moduleAfter, visibility, genksyms, this);
    }

    /**
     * Hides from a file what it cannot have seen complete: a way from a symbol whose CRC did not change to a changed
     * type is cut somewhere, most likely at the type on it that the fewest files see.
     *
     * @return whether there was such a way
     */
    private boolean hide(Collection<String> unchanged, FileView view) {
        boolean found = false;
        int[] costs = view.near.pointing();
        for (String symbol : unchanged) {
            Integer declared = before.declared(declaredAs(symbol));
            if (declared == null || symbol.startsWith(TRAMPOLINE)) {
                continue;
            }
            for (CauseSearch.Way way : view.near.from(declared)) {
                int dearest = way.cost() < Visibility.HIDDEN ? dearest(declared, way.nodes(), costs) : -1;
                if (dearest >= 0) {
                    costs[dearest - before.first()] = Visibility.HIDDEN;
                    found = true;
                }
            }
        }
        return found;
    }

    /** The type on a way that is pointed to and is least surely complete, -1 if all are members. */
    private int dearest(int declared, List<Integer> nodes, int[] costs) {
        int from = declared;
        int dearest = -1;
        int most = -1;
        for (int node : nodes) {
            if (node >= before.first() && isPointedTo(from, node)) {
                int cost = costs[node - before.first()];
                if (cost >= Visibility.HIDDEN) {
                    return -1;
                }
                if (cost >= most) {
                    most = cost;
                    dearest = node;
                }
            }
            from = node;
        }
        return dearest;
    }

    private boolean isPointedTo(int from, int to) {
        if (from == to) {
            return false;
        }
        for (int edge = before.firstEdge(from); edge < before.firstEdge(from + 1); edge++) {
            if (before.target(edge) == to) {
                return !before.isByValue(edge);
            }
        }
        return false;
    }

    /** What one file reaches; megabytes, used for one file after another. */
    private final class FileView {
        final CauseSearch.Found near = search.room();
        final CauseSearch.Found worst = search.roomForWorst();
        private final @Nullable FileView kernels = kernel == null ? null : kernel.new FileView();

        FileView filled(int file, Collection<String> unchanged) {
            if (kernels != null) {
                kernels.filled(file, List.of());
            }
            costs.write(file, near.pointing());
            near.search(kernels == null ? null : kernels.near);
            for (int i = 0; i < ROUNDS && hide(unchanged, this); i++) {
                near.search(kernels == null ? null : kernels.near);
            }
            costs.writeHidden(file, worst.pointing());
            worst.search(kernels == null ? null : kernels.worst);
            return this;
        }
    }

    /** A thread's views, the one of files that are not known shared by all. */
    private final class Views {
        private @Nullable FileView room;

        FileView of(int file, Collection<String> unchanged) {
            if (file == UNKNOWN_FILE) {
                return usual();
            }
            FileView view = room == null ? new FileView() : room;
            room = view;
            return view.filled(file, unchanged);
        }
    }

    private synchronized FileView usual() {
        FileView known = usual == null ? new FileView().filled(UNKNOWN_FILE, List.of()) : usual;
        usual = known;
        return known;
    }

    /**
     * Why the CRCs of these symbols changed; those of which the types do not say are left out.
     *
     * @param unchanged others, whose CRCs did not change: they bound what their files can have seen
     * @param threads how many threads search, each another source file
     */
    public Map<String, CrcCause> find(Collection<String> symbols, Collection<String> unchanged, int threads) {
        Map<Integer, List<String>> byFile = byFile(symbols);
        Map<Integer, List<String>> kept = byFile(unchanged);
        List<Map.Entry<Integer, List<String>>> files = List.copyOf(byFile.entrySet());
        Map<String, CrcCause> causes = new ConcurrentHashMap<>();
        Workers.start(files.size(), threads, () -> {
                    Views views = new Views();
                    return i -> addCauses(
                            files.get(i).getValue(),
                            views.of(
                                    files.get(i).getKey(),
                                    kept.getOrDefault(files.get(i).getKey(), List.of())),
                            causes);
                })
                .finish();
        return causes;
    }

    private Map<Integer, List<String>> byFile(Collection<String> symbols) {
        Map<Integer, List<String>> byFile = new TreeMap<>();
        for (String symbol : symbols) {
            byFile.computeIfAbsent(visibility.fileOf(symbol), file -> new ArrayList<>())
                    .add(symbol);
        }
        return byFile;
    }

    private void addCauses(List<String> symbols, FileView view, Map<String, CrcCause> causes) {
        for (String symbol : symbols) {
            CrcCause cause = cause(symbol, view);
            if (cause != null) {
                causes.put(symbol, cause);
            }
        }
    }

    private @Nullable CrcCause cause(String symbol, FileView view) {
        String name = declaredAs(symbol);
        Integer old = before.declared(name);
        Integer now = after.declared(name);
        if (old == null) {
            return null;
        }
        List<CauseSearch.Way> ways = new ArrayList<>(view.near.from(old));
        int nearest = ways.size();
        ways.addAll(view.worst.from(old));
        boolean own = now != null
                && before.isNode(old)
                && before.btf().kind(old) == BtfKind.FUNC_PROTO
                && (before.fingerprint(old) != after.fingerprint(now) || !genksyms && hasOtherNames(old, now));
        if (own && now != null) {
            TypeChange change = comparison.comparePrototypes(old, now, name);
            List<String> itself = List.of(symbol);
            Certainty certainty = Certainty.KNOWN;
            return new CrcCause(change, itself, itself, certainty, others(ways, 0, nearest, change));
        }
        return nearest == 0 ? null : cause(symbol, old, ways, nearest);
    }

    /** Whether a parameter has another name, which gendwarfksyms takes in, and genksyms does not. */
    private boolean hasOtherNames(int old, int now) {
        for (int i = 0; i < before.btf().members(old); i++) {
            if (!before.btf().memberName(old, i).equals(after.btf().memberName(now, i))) {
                return true;
            }
        }
        return false;
    }

    private CrcCause cause(String symbol, int declared, List<CauseSearch.Way> ways, int nearest) {
        CauseSearch.Way best = ways.get(0);
        TypeChange change = changes.get(best.change());
        List<String> path = new ArrayList<>();
        path.add(symbol);
        for (int node : best.nodes()) {
            path.add(TypeText.tag(before.btf().kind(node)) + " " + before.btf().name(node));
        }
        List<TypeChange> others = others(ways, 1, nearest, change);
        boolean only = nearest == 1;
        Certainty certainty = only ? Certainty.ONLY : Certainty.LIKELY;
        if (!only && genksyms && visibility.knows(symbol) && best.cost() < SEEN) {
            certainty = Certainty.KNOWN;
        }
        List<String> way = new TypePathText(before.btf()).of(symbol, declared, best.nodes(), change);
        return new CrcCause(change, path, way, certainty, others);
    }

    /**
     * Other changes than the first.
     *
     * @param nearest how many of the ways are the nearest; then comes the one to the worst change
     */
    private List<TypeChange> others(List<CauseSearch.Way> ways, int from, int nearest, TypeChange first) {
        List<TypeChange> others = new ArrayList<>();
        TypeChange.Change worst = first.change();
        for (int i = from; i < ways.size(); i++) {
            TypeChange change = changes.get(ways.get(i).change());
            boolean wanted = i < nearest ? others.size() < 2 : change.change().compareTo(worst) < 0;
            if (wanted && !change.equals(first) && !others.contains(change)) {
                others.add(change);
                worst = worst.worse(change.change());
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

    /**
     * The named types whose own definitions differ between two kernels. One that only holds another that changed is
     * none of them. A name can stand for several types, in different source files; it changed if one of the older
     * kernel's is not in the newer kernel, and the other way round.
     *
     * @param nodes the older kernel's type of each change, ascending
     * @param changes what differs, in the same order; equal where several types have one name
     */
    private record ChangedTypes(int[] nodes, List<TypeChange> changes) {
        /** Kernels that differ in more types are of different series; the first ones are enough. */
        private static final int MAX_CHANGES = 20_000;

        /** Finds them; of modules, among their own types. */
        static ChangedTypes between(TypeGraph before, TypeGraph after) {
            List<Integer> gone = without(before, definitions(after));
            Map<Long, List<Integer>> come = byName(after, without(after, definitions(before)));
            TypeComparison comparison = new TypeComparison(before.btf(), after.btf());
            Map<Long, Integer> taken = new HashMap<>();
            List<Integer> nodes = new ArrayList<>();
            List<TypeChange> changes = new ArrayList<>();
            for (int node : gone) {
                List<Integer> others = come.get(before.nameKey(node));
                if (others != null && nodes.size() < MAX_CHANGES) {
                    int place = taken.merge(before.nameKey(node), 1, Integer::sum) - 1;
                    int other = others.get(Math.min(place, others.size() - 1));
                    nodes.add(node);
                    changes.add(comparison.compare(node, other));
                }
            }
            return new ChangedTypes(nodes.stream().mapToInt(Integer::intValue).toArray(), changes);
        }

        /** Of each type of its own what stands for name and definition, ascending. */
        private static long[] definitions(TypeGraph graph) {
            long[] all = new long[graph.btf().size() - graph.first()];
            int count = 0;
            for (int id = graph.first(); id < graph.btf().size(); id++) {
                if (isNamed(graph, id)) {
                    all[count++] = graph.definitionKey(id);
                }
            }
            long[] sorted = Arrays.copyOf(all, count);
            Arrays.sort(sorted);
            return sorted;
        }

        private static boolean isNamed(TypeGraph graph, int id) {
            return graph.isNode(id) && graph.btf().kind(id) != BtfKind.FUNC_PROTO;
        }

        /** Those of one kernel that the other does not define the same way, ascending. */
        private static List<Integer> without(TypeGraph graph, long[] others) {
            List<Integer> rest = new ArrayList<>();
            for (int id = graph.first(); id < graph.btf().size(); id++) {
                if (isNamed(graph, id) && Arrays.binarySearch(others, graph.definitionKey(id)) < 0) {
                    rest.add(id);
                }
            }
            return rest;
        }

        private static Map<Long, List<Integer>> byName(TypeGraph graph, List<Integer> types) {
            Map<Long, List<Integer>> all = new HashMap<>();
            for (int id : types) {
                all.computeIfAbsent(graph.nameKey(id), key -> new ArrayList<>(1))
                        .add(id);
            }
            return all;
        }
    }

    /** Writes the way from a symbol to a changed type: by which parameter, and by which members. */
    private static final class TypePathText {
        /** Deeper nesting of pointers, arrays and types without a name is not looked into. */
        private static final int MAX_DEPTH = 16;

        /** Types that are looked at for one way; few take more than ten. */
        private static final int MAX_STEPS = 10_000;

        private final Btf btf;
        private int steps;

        TypePathText(Btf btf) {
            this.btf = btf;
        }

        /**
         * Such as {@code dev_open(dev)}, {@code struct net_device.qdisc}, {@code struct Qdisc.flags}.
         *
         * @param declared type of the symbol
         * @param nodes the types on the way, the changed one last
         */
        List<String> of(String symbol, int declared, List<Integer> nodes, TypeChange change) {
            List<String> way = new ArrayList<>();
            boolean function = btf.kind(declared) == BtfKind.FUNC_PROTO;
            way.add(function ? symbol + "(" + member(declared, nodes.get(0), 0) + ")" : symbol);
            for (int i = 0; i < nodes.size(); i++) {
                boolean last = i == nodes.size() - 1;
                String member = last ? onlyMember(change) : member(nodes.get(i), nodes.get(i + 1), 0);
                way.add(text(nodes.get(i)) + (member.isEmpty() ? "" : "." + member));
            }
            return way;
        }

        private String text(int node) {
            return TypeText.tag(btf.kind(node)) + " " + btf.name(node);
        }

        /** The name of what changed in a struct or union, if that is one member with a name. */
        private static String onlyMember(TypeChange change) {
            boolean composite = change.kind().equals("struct") || change.kind().equals("union");
            String name = composite && change.members().size() == 1
                    ? change.members().get(0).name()
                    : "";
            return name.startsWith("(") ? "" : name;
        }

        /** The first member or parameter that leads to a type; empty if that is what is returned. */
        private String member(int from, int to, int depth) {
            for (int i = 0; i < membersOf(from); i++) {
                int type = btf.memberType(from, i);
                if (leads(type, to, 0)) {
                    String name = btf.memberName(from, i);
                    return name.isEmpty() && type != to && depth < MAX_DEPTH ? member(type, to, depth + 1) : name;
                }
            }
            return "";
        }

        private int membersOf(int type) {
            BtfKind kind = btf.kind(type);
            return kind.isComposite() || kind == BtfKind.FUNC_PROTO ? btf.members(type) : 0;
        }

        private boolean leads(int type, int to, int depth) {
            if (type == to || depth > MAX_DEPTH || ++steps > MAX_STEPS) {
                return type == to;
            }
            return switch (btf.kind(type)) {
                case PTR, CONST, VOLATILE, RESTRICT, TYPE_TAG -> leads(btf.type(type), to, depth + 1);
                case ARRAY -> leads(btf.element(type), to, depth + 1);
                case FUNC_PROTO -> leads(btf.type(type), to, depth + 1) || anyLeads(type, to, depth);
                case STRUCT, UNION -> !btf.isNamed(type) && anyLeads(type, to, depth);
                default -> false;
            };
        }

        private boolean anyLeads(int type, int to, int depth) {
            for (int i = 0; i < btf.members(type); i++) {
                if (leads(btf.memberType(type, i), to, depth + 1)) {
                    return true;
                }
            }
            return false;
        }
    }
}
