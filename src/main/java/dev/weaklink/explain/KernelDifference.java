package dev.weaklink.explain;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.system.ModuleNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The difference between the exports of two kernels.
 *
 * @param compared the number of symbols whose CRCs were compared, because both kernels export the symbol with a CRC
 * @param changed the symbols whose CRCs differ, sorted by name
 * @param others the other changes of symbols, sorted by kind and name
 * @param unnoticed the types whose members moved although the CRCs of symbols that use the types are equal, sorted by
 *     title
 */
public record KernelDifference(
        int compared, List<SymbolChange> changed, List<ExportChange> others, List<UnnoticedChange> unnoticed) {
    private static final String MODULE_LAYOUT = "module_layout";

    public KernelDifference {
        changed = List.copyOf(changed);
        others = List.copyOf(others);
        unnoticed = List.copyOf(unnoticed);
    }

    public interface Causes {
        Map<String, CrcCause> find(Map<String, String> owners);

        /**
         * Returns changes of types that the CRCs do not show. The key is a symbol of vmlinux with an equal CRC; the
         * value is the change of a type that the symbol uses.
         *
         * @param owners the symbols with equal CRCs in both kernels, each with its exporter
         */
        Map<String, TypeChange> unnoticed(Map<String, String> owners);

        static Causes none() {
            return new Causes() {
                @Override
                public Map<String, CrcCause> find(Map<String, String> owners) {
                    return Map.of();
                }

                @Override
                public Map<String, TypeChange> unnoticed(Map<String, String> owners) {
                    return Map.of();
                }
            };
        }
    }

    /**
     * Compares two kernels.
     *
     * @param asked selects the symbols to compare
     * @param comparable whether the CRCs of the two kernels can be compared; the same tool must have made them
     * @param causes finds the causes of changed CRCs
     */
    public static KernelDifference between(
            ExportTable from, ExportTable to, Predicate<String> asked, boolean comparable, Causes causes) {
        Map<String, Integer> olds = rows(from, asked);
        Map<String, Integer> news = rows(to, asked);
        List<String> changed = new ArrayList<>();
        Map<String, String> equal = new TreeMap<>();
        List<ExportChange> others = new ArrayList<>();
        int compared = 0;
        for (Map.Entry<String, Integer> entry : olds.entrySet()) {
            String symbol = entry.getKey();
            Integer now = news.get(symbol);
            if (now == null) {
                others.add(new ExportChange(
                        symbol, ExportChange.ExportChangeKind.REMOVED, from.owner(entry.getValue()), null, true));
                continue;
            }
            addOthers(symbol, from, entry.getValue(), to, now, others);
            int old = entry.getValue();
            if (comparable && from.hasCrc(old) && to.hasCrc(now)) {
                compared++;
                if (from.crc(old) != to.crc(now)) {
                    changed.add(symbol);
                } else if (sameModule(from.owner(old), to.owner(now))) {
                    equal.put(symbol, to.owner(now));
                }
            }
        }
        news.forEach((symbol, row) -> {
            if (!olds.containsKey(symbol)) {
                others.add(new ExportChange(symbol, ExportChange.ExportChangeKind.ADDED, null, to.owner(row), false));
            }
        });
        others.sort(Comparator.comparing(ExportChange::kind).thenComparing(ExportChange::symbol));
        List<SymbolChange> explained = explained(changed, from, olds, to, news, causes);
        Map<String, TypeChange> unnoticed = loadOthers(from, to) ? causes.unnoticed(equal) : Map.of();
        return new KernelDifference(compared, explained, others, unnoticed(unnoticed));
    }

    /**
     * Returns whether a kernel may load modules that were built for the other kernel. A kernel refuses such modules if
     * the CRC of module_layout differs (kernel/module/version.c:check_modstruct_version).
     */
    private static boolean loadOthers(ExportTable from, ExportTable to) {
        int old = from.find(MODULE_LAYOUT);
        int now = to.find(MODULE_LAYOUT);
        return old < 0 || now < 0 || !from.hasCrc(old) || !to.hasCrc(now) || from.crc(old) == to.crc(now);
    }

    private static List<UnnoticedChange> unnoticed(Map<String, TypeChange> bySymbol) {
        Map<TypeChange, List<String>> byChange = new HashMap<>();
        new TreeMap<>(bySymbol)
                .forEach((symbol, change) -> byChange.computeIfAbsent(change, key -> new ArrayList<>())
                        .add(symbol));
        List<UnnoticedChange> unnoticed = new ArrayList<>();
        byChange.forEach((change, symbols) -> unnoticed.add(new UnnoticedChange(change, symbols)));
        unnoticed.sort(Comparator.comparing(one -> one.change().title()));
        return unnoticed;
    }

    /**
     * Adds the causes to the changed symbols. A symbol with another exporter gets no cause, because the types of two
     * different exporters cannot be compared.
     */
    private static List<SymbolChange> explained(
            List<String> changed,
            ExportTable from,
            Map<String, Integer> olds,
            ExportTable to,
            Map<String, Integer> news,
            Causes causes) {
        Map<String, String> owners = new TreeMap<>();
        for (String symbol : changed) {
            String owner = to.owner(row(news, symbol));
            if (sameModule(owner, from.owner(row(olds, symbol)))) {
                owners.put(symbol, owner);
            }
        }
        Map<String, CrcCause> found = causes.find(owners);
        List<SymbolChange> explained = new ArrayList<>();
        for (String symbol : changed) {
            int now = row(news, symbol);
            int crc = from.crc(row(olds, symbol));
            explained.add(new SymbolChange(symbol, to.owner(now), crc, to.crc(now), found.get(symbol)));
        }
        return explained;
    }

    /**
     * Returns whether two exporters are the same: both are vmlinux, or both are modules of one name in any directory.
     */
    public static boolean sameModule(String owner, String other) {
        return owner.equals(other) || ModuleNames.ofPath(owner).equals(ModuleNames.ofPath(other));
    }

    private static Map<String, Integer> rows(ExportTable table, Predicate<String> asked) {
        Map<String, Integer> rows = new TreeMap<>();
        for (int row = 0; row < table.size(); row++) {
            if (asked.test(table.symbol(row))) {
                rows.putIfAbsent(table.symbol(row), row);
            }
        }
        return rows;
    }

    private static int row(Map<String, Integer> rows, String symbol) {
        return Objects.requireNonNull(rows.get(symbol));
    }

    private static void addOthers(
            String symbol, ExportTable from, int old, ExportTable to, int now, List<ExportChange> others) {
        if (!sameModule(from.owner(old), to.owner(now))) {
            others.add(new ExportChange(
                    symbol, ExportChange.ExportChangeKind.MOVED, from.owner(old), to.owner(now), true));
        }
        boolean known = from.isLicenseKnown(old) && to.isLicenseKnown(now);
        if (known && from.isGplOnly(old) != to.isGplOnly(now)) {
            others.add(new ExportChange(
                    symbol,
                    ExportChange.ExportChangeKind.LICENSE,
                    license(from, old),
                    license(to, now),
                    to.isGplOnly(now)));
        }
        String before = from.namespace(old);
        String after = to.namespace(now);
        if (from.isNamespaceKnown(old) && to.isNamespaceKnown(now) && !Objects.equals(before, after)) {
            others.add(new ExportChange(
                    symbol,
                    ExportChange.ExportChangeKind.NAMESPACE,
                    before == null ? "none" : before,
                    after == null ? "none" : after,
                    after != null));
        }
    }

    private static String license(ExportTable table, int row) {
        return table.isGplOnly(row) ? "GPL only" : "any license";
    }

    public List<CauseCount> causes() {
        Map<TypeChange, List<SymbolChange>> byChange = new LinkedHashMap<>();
        for (SymbolChange change : changed) {
            CrcCause cause = change.cause();
            if (cause != null) {
                byChange.computeIfAbsent(cause.change(), key -> new ArrayList<>())
                        .add(change);
            }
        }
        List<CauseCount> counts = new ArrayList<>();
        byChange.forEach((change, symbols) -> counts.add(count(change, symbols)));
        counts.sort(Comparator.comparing((CauseCount count) -> count.change().change())
                .thenComparing(count -> -count.symbols().size())
                .thenComparing(count -> count.change().title()));
        return counts;
    }

    private static CauseCount count(TypeChange change, List<SymbolChange> symbols) {
        int only = 0;
        Map<TypeChange, Integer> others = new HashMap<>();
        SymbolChange example = symbols.get(0);
        for (SymbolChange symbol : symbols) {
            CrcCause cause = Objects.requireNonNull(symbol.cause());
            only += cause.certainty() == CrcCause.Certainty.ONLY ? 1 : 0;
            boolean sure = cause.certainty().compareTo(CrcCause.Certainty.LIKELY) < 0;
            if (!sure || !cause.worst().equals(change)) {
                cause.others().forEach(other -> others.merge(other, 1, Integer::sum));
            }
            if (isClearer(symbol, example)) {
                example = symbol;
            }
        }
        return new CauseCount(
                change, symbols.stream().map(SymbolChange::symbol).toList(), only, worstFirst(others), example);
    }

    private static Map<TypeChange, Integer> worstFirst(Map<TypeChange, Integer> others) {
        List<TypeChange> sorted = new ArrayList<>(others.keySet());
        sorted.sort(Comparator.comparing(TypeChange::change)
                .thenComparing(change -> -others.getOrDefault(change, 0))
                .thenComparing(TypeChange::title));
        Map<TypeChange, Integer> worstFirst = new LinkedHashMap<>();
        sorted.forEach(change -> worstFirst.put(change, others.getOrDefault(change, 0)));
        return worstFirst;
    }

    private static boolean isClearer(SymbolChange one, SymbolChange other) {
        boolean plain = !one.symbol().startsWith("_");
        if (plain == other.symbol().startsWith("_")) {
            return plain;
        }
        return Objects.requireNonNull(one.cause()).path().size()
                < Objects.requireNonNull(other.cause()).path().size();
    }

    public int explained() {
        return (int) changed.stream().filter(change -> change.cause() != null).count();
    }

    public List<String> unexplained() {
        return changed.stream()
                .filter(change -> change.cause() == null)
                .map(SymbolChange::symbol)
                .toList();
    }

    /**
     * Returns the number of changed symbols that vmlinux exports, or the number that modules export.
     *
     * @param vmlinux true to count the symbols of vmlinux, false to count the symbols of modules
     */
    public int changedOf(boolean vmlinux) {
        return (int) changed.stream()
                .filter(change -> change.owner().equals(Symvers.VMLINUX) == vmlinux)
                .count();
    }

    public int unexplainedOf(boolean vmlinux) {
        return (int) changed.stream()
                .filter(change -> change.owner().equals(Symvers.VMLINUX) == vmlinux && change.cause() == null)
                .count();
    }

    /**
     * Returns the symbols whose change could make the newer kernel refuse a module that was built for the older one.
     */
    public Set<String> breaking() {
        Set<String> breaking = new TreeSet<>();
        changed.forEach(change -> breaking.add(change.symbol()));
        for (ExportChange other : others) {
            if (other.breaks()) {
                breaking.add(other.symbol());
            }
        }
        return breaking;
    }
}
