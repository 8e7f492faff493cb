package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.CrcCause.Certainty;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.sys.Workers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Searches the types of two kernels for the causes of changed CRCs. If a symbol's own prototype changed, the prototype
 * is the cause. Otherwise the cause is the changed type whose definition the exporting source file most likely
 * included.
 */
public final class CauseFinder {
    /** The cost below which a path is certain: the source file includes the definition of every type on the path. */
    private static final int SEEN = 100;

    static final int UNKNOWN_FILE = -1;

    /**
     * The prefix of static call trampolines. genksyms does not know their type, so changed types do not change their
     * CRCs.
     */
    private static final String TRAMPOLINE = "__SCT__tp_func_";

    /**
     * The maximum number of rounds of {@link #hide}. Each round can make another path to a changed type the most likely
     * one.
     */
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
    private final ChangedTypes changed;

    private final BitSet moved;

    private @Nullable FileView usual;

    /**
     * Creates a finder for the symbols that vmlinux exports.
     *
     * @param release the release of the older kernel, null if unknown
     * @param genksyms whether genksyms computed the CRCs; only then do the tables in {@link Visibility} show for
     *     certain which definitions a source file included
     */
    public CauseFinder(TypeGraph before, TypeGraph after, @Nullable String release, boolean genksyms) {
        this(before, after, Visibility.of(release), genksyms, null, ChangedTypes.between(before, after));
    }

    private CauseFinder(
            TypeGraph before,
            TypeGraph after,
            Visibility visibility,
            boolean genksyms,
            @Nullable CauseFinder kernel,
            ChangedTypes changed) {
        this.visibility = visibility;
        this.genksyms = genksyms;
        this.before = before;
        this.after = after;
        this.kernel = kernel;
        this.changed = changed;
        this.changes = new ArrayList<>(kernel == null ? List.of() : kernel.changes);
        int[] ranks = changed.changes().stream()
                .mapToInt(change -> change.change().ordinal())
                .toArray();
        this.search = new CauseSearch(before, changed.nodes(), changed.otherDefinitions(), ranks, changes.size());
        this.moved = kernel == null ? new BitSet() : (BitSet) kernel.moved.clone();
        this.moved.set(
                changes.size() + changed.otherDefinitions(),
                changes.size() + changed.changes().size());
        this.changes.addAll(changed.changes());
        this.costs = visibility.new Costs(before);
        this.comparison = new TypeComparison(before.btf(), after.btf());
    }

    public CauseFinder ofModule(TypeGraph moduleBefore, TypeGraph moduleAfter) {
        ChangedTypes own = ChangedTypes.between(moduleBefore, moduleAfter);
        return new CauseFinder(moduleBefore, moduleAfter, visibility, genksyms, this, own);
    }

    /**
     * Finds, for each symbol, the nearest type that the symbol uses and whose members moved although the symbol's CRC
     * did not change. Ignores a type that the symbol reaches only through a type with a changed definition. Because the
     * CRC is equal, the symbol's source file did not include that definition.
     *
     * @param unchanged symbols of vmlinux with equal CRCs in both kernels
     * @return the change of that type, for each symbol that uses such a type
     */
    public Map<String, TypeChange> moved(Collection<String> unchanged) {
        if (moved.isEmpty()) {
            return Map.of();
        }
        CauseFinder finder = new CauseFinder(before, after, visibility, genksyms, null, changed.moved());
        CauseSearch.SearchResult found = finder.usual().near;
        BitSet others = new BitSet();
        for (int i = 0; i < changed.otherDefinitions(); i++) {
            others.set(changed.nodes()[i]);
            found.pointing()[changed.nodes()[i] - before.first()] = Visibility.HIDDEN;
        }
        found.search(null);
        Map<String, TypeChange> behind = new TreeMap<>();
        for (String symbol : unchanged) {
            Integer declared = before.declared(declaredAs(symbol));
            for (CauseSearch.TypePath way : declared == null ? List.<CauseSearch.TypePath>of() : found.from(declared)) {
                if (way.cost() < Visibility.HIDDEN && way.nodes().stream().noneMatch(others::get)) {
                    behind.putIfAbsent(symbol, finder.changes.get(way.change()));
                }
            }
        }
        return behind;
    }

    /**
     * Marks types as hidden from a source file: the file refers to such a type without including its definition. If a
     * symbol's CRC did not change, each path from the symbol to a changed type passes a hidden type. If none is marked
     * on a path, marks the type whose definition the file least likely includes.
     *
     * @return whether a type was marked
     */
    private boolean hide(Collection<String> unchanged, FileView view) {
        boolean found = false;
        int[] costs = view.near.pointing();
        for (String symbol : unchanged) {
            Integer declared = before.declared(declaredAs(symbol));
            if (declared == null || symbol.startsWith(TRAMPOLINE)) {
                continue;
            }
            for (CauseSearch.TypePath way : view.near.from(declared)) {
                int dearest = way.cost() < Visibility.HIDDEN ? dearest(declared, way.nodes(), costs) : -1;
                if (dearest >= 0) {
                    costs[dearest - before.first()] = Visibility.HIDDEN;
                    found = true;
                }
            }
        }
        return found;
    }

    /**
     * Marks types whose definitions the source file must have included. If only one changed type can explain the new
     * CRC of a symbol, the file includes all definitions on the path to that type.
     *
     * @return whether a type was marked
     */
    private boolean reveal(Collection<String> symbols, FileView view) {
        int[] costs = view.near.pointing();
        BitSet seen = new BitSet();
        for (String symbol : symbols) {
            Integer old = before.declared(declaredAs(symbol));
            Integer now = after.declared(declaredAs(symbol));
            if (old == null || now == null || before.fingerprint(old) != after.fingerprint(now)) {
                continue;
            }
            List<CauseSearch.TypePath> ways = view.near.from(old);
            if (ways.size() == 1 && ways.get(0).cost() < Visibility.HIDDEN) {
                ways.get(0).nodes().stream()
                        .filter(node -> node >= before.first() && costs[node - before.first()] > 0)
                        .forEach(node -> seen.set(node - before.first()));
            }
        }
        seen.stream().forEach(place -> costs[place] = 0);
        return !seen.isEmpty();
    }

    /**
     * Returns the type on a path whose definition the file least likely includes. Only types that the path reaches
     * through a pointer count. Returns -1 if there is no such type, or if one of them is already hidden.
     */
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

    /**
     * The paths to changed types, with the costs for one source file. A view takes megabytes and is reused for one file
     * after another.
     */
    private final class FileView {
        final CauseSearch.SearchResult near = search.room();
        final CauseSearch.SearchResult worst = search.roomForWorst();
        private final @Nullable FileView kernels = kernel == null ? null : kernel.new FileView();

        FileView filled(int file, Collection<String> symbols, Collection<String> unchanged) {
            if (kernels != null) {
                kernels.filled(file, List.of(), List.of());
            }
            costs.write(file, near.pointing());
            near.search(kernels == null ? null : kernels.near);
            for (int i = 0; i < ROUNDS && hide(unchanged, this); i++) {
                near.search(kernels == null ? null : kernels.near);
            }
            if (!visibility.isMeasured() && reveal(symbols, this)) {
                near.search(kernels == null ? null : kernels.near);
            }
            costs.writeHidden(file, worst.pointing());
            worst.search(kernels == null ? null : kernels.worst);
            return this;
        }
    }

    private final class Views {
        private @Nullable FileView room;

        FileView of(int file, Collection<String> symbols, Collection<String> unchanged) {
            if (file == UNKNOWN_FILE) {
                return usual();
            }
            FileView view = room == null ? new FileView() : room;
            room = view;
            return view.filled(file, symbols, unchanged);
        }
    }

    private synchronized FileView usual() {
        FileView known = usual == null ? new FileView().filled(UNKNOWN_FILE, List.of(), List.of()) : usual;
        usual = known;
        return known;
    }

    /**
     * Finds the causes of changed CRCs. A symbol without a known cause is not in the result.
     *
     * @param unchanged symbols with equal CRCs; they show that their source files did not include certain changed
     *     definitions
     * @param threads the number of threads; each thread works on the symbols of one source file at a time
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
                                    files.get(i).getValue(),
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
        List<CauseSearch.TypePath> ways = new ArrayList<>(view.near.from(old));
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
        if (nearest > 0) {
            return cause(symbol, old, ways, nearest);
        }
        // A changed attribute of a member, such as packed, changes the CRC, but BTF shows only that members moved.
        boolean onlyMoved = !ways.isEmpty() && moved.get(ways.get(0).change());
        return onlyMoved ? cause(symbol, old, ways, 0) : null;
    }

    /** Returns whether a parameter was renamed; gendwarfksyms hashes parameter names, genksyms does not. */
    private boolean hasOtherNames(int old, int now) {
        for (int i = 0; i < before.btf().members(old); i++) {
            if (!before.btf().memberName(old, i).equals(after.btf().memberName(now, i))) {
                return true;
            }
        }
        return false;
    }

    private CrcCause cause(String symbol, int declared, List<CauseSearch.TypePath> ways, int nearest) {
        CauseSearch.TypePath best = ways.get(0);
        TypeChange change = changes.get(best.change());
        List<String> path = new ArrayList<>();
        path.add(symbol);
        for (int node : best.nodes()) {
            path.add(TypeText.tag(before.btf().kind(node)) + " " + before.btf().name(node));
        }
        List<TypeChange> others = others(ways, 1, nearest, change);
        Certainty certainty = certainty(symbol, best, nearest);
        List<String> way = new TypePathText(before.btf()).of(symbol, declared, best.nodes(), change);
        return new CrcCause(change, path, way, certainty, others);
    }

    private Certainty certainty(String symbol, CauseSearch.TypePath best, int nearest) {
        if (nearest == 1) {
            return Certainty.ONLY;
        }
        if (nearest == 0 || !visibility.isMeasured()) {
            return Certainty.GUESS;
        }
        boolean seen = genksyms && visibility.knows(symbol) && best.cost() < SEEN;
        return seen ? Certainty.KNOWN : Certainty.LIKELY;
    }

    private List<TypeChange> others(List<CauseSearch.TypePath> ways, int from, int nearest, TypeChange first) {
        List<TypeChange> others = new ArrayList<>();
        TypeChange.TypeChangeKind worst = first.change();
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

    /**
     * Returns the symbol from whose type the search starts. BTF does not record the variables of a tracepoint;
     * {@code __traceiter_NAME} takes their place.
     */
    private static String declaredAs(String symbol) {
        for (String prefix : List.of("__tracepoint_", "__SCK__tp_func_", "__SCT__tp_func_")) {
            if (symbol.startsWith(prefix)) {
                return "__traceiter_" + symbol.substring(prefix.length());
            }
        }
        return symbol;
    }

    private static final class TypePathText {
        private static final int MAX_DEPTH = 16;

        /** The maximum number of types visited for one path; few paths need more than ten. */
        private static final int MAX_STEPS = 10_000;

        private final Btf btf;
        private int steps;

        TypePathText(Btf btf) {
            this.btf = btf;
        }

        /**
         * Returns a path such as {@code dev_open(dev)}, {@code struct net_device.qdisc}, {@code struct Qdisc.flags}.
         *
         * @param declared the type of the symbol
         * @param nodes the types on the path, ending with the changed type
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

        private static String onlyMember(TypeChange change) {
            boolean composite = change.kind().equals("struct") || change.kind().equals("union");
            String name = composite && change.members().size() == 1
                    ? change.members().get(0).name()
                    : "";
            return name.startsWith("(") ? "" : name;
        }

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
