package dev.weaklink.loader;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A few modules that use each other's symbols, with CRCs that do not always fit, now and then two exporters of one
 * symbol, and now and then in a circle; and which of them a kernel could load, found by trying every subset.
 *
 * @param nodes by name
 */
record ModuleGraph(TreeMap<String, Node> nodes) {
    private static final int MOST = 6;
    private static final List<String> SYMBOLS = List.of("a", "b", "c", "d", "e", "f", "both");

    /** CRCs of what a module exports and imports, by symbol. */
    record Node(Map<String, Integer> exports, Map<String, Integer> imports) {}

    static Arbitrary<ModuleGraph> any() {
        return Combinators.combine(nodeSeeds().list().ofMaxSize(MOST), Arbitraries.of(true, false))
                .as(ModuleGraph::of);
    }

    /** CRC deltas by symbol: absent for not imported, 0 for the usual one. */
    private static Arbitrary<Seed> nodeSeeds() {
        Arbitrary<Integer> deltas = Arbitraries.frequency(Tuple.of(9, 0), Tuple.of(1, 1));
        Arbitrary<Map<String, Integer>> imports =
                Arbitraries.maps(Arbitraries.of(SYMBOLS), deltas).ofMaxSize(3);
        Arbitrary<Boolean> seldom = Arbitraries.of(true, false, false, false);
        return Combinators.combine(imports, deltas, deltas, seldom).as(Seed::new);
    }

    private record Seed(Map<String, Integer> imports, int ownDelta, int bothDelta, boolean exportsBoth) {}

    private static ModuleGraph of(List<Seed> seeds, boolean circles) {
        TreeMap<String, Node> nodes = new TreeMap<>();
        for (int i = 0; i < seeds.size(); i++) {
            Seed seed = seeds.get(i);
            Map<String, Integer> exports = new LinkedHashMap<>();
            exports.put(SYMBOLS.get(i), crc(SYMBOLS.get(i), seed.ownDelta));
            if (seed.exportsBoth) {
                exports.put("both", crc("both", seed.bothDelta));
            }
            Map<String, Integer> imports = new TreeMap<>();
            int index = i;
            seed.imports.forEach((symbol, delta) -> {
                boolean backwards = SYMBOLS.indexOf(symbol) < index;
                if (!exports.containsKey(symbol) && (circles || backwards)) {
                    imports.put(symbol, crc(symbol, delta));
                }
            });
            nodes.put("m" + i, new Node(exports, imports));
        }
        return new ModuleGraph(nodes);
    }

    private static int crc(String symbol, int delta) {
        return 0x100 * symbol.hashCode() + delta;
    }

    ModuleBuilder module(String name) {
        Node node = nodes.get(name);
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, name);
        node.imports.forEach(module::importing);
        node.exports.forEach((symbol, crc) -> module.exporting(symbol, Export.Table.NORMAL, crc));
        return module;
    }

    List<ModuleBuilder> modules(Collection<String> names) {
        return names.stream().map(this::module).toList();
    }

    /**
     * The sets of modules that are loaded in the end if everything is tried: each of them finds what it needs among the
     * others, in some order of loading, and none of the rest would.
     */
    List<Set<String>> possibleOutcomes() {
        List<String> names = List.copyOf(nodes.keySet());
        List<Set<String>> outcomes = new ArrayList<>();
        for (int bits = 0; bits < 1 << names.size(); bits++) {
            Set<String> loaded = new TreeSet<>();
            for (int i = 0; i < names.size(); i++) {
                if ((bits & 1 << i) != 0) {
                    loaded.add(names.get(i));
                }
            }
            if (names.stream().allMatch(name -> loaded.contains(name) == loads(name, loaded))) {
                outcomes.add(loaded);
            }
        }
        return outcomes;
    }

    private boolean loads(String name, Set<String> loaded) {
        Set<String> used = new HashSet<>();
        if (!addUsed(name, loaded, used) || used.contains(name)) {
            return false;
        }
        return nodes.get(name).exports.keySet().stream()
                .noneMatch(symbol ->
                        used.stream().anyMatch(u -> nodes.get(u).exports.containsKey(symbol)));
    }

    /** Adds all that a module uses, directly or not; false if something does not fit. */
    private boolean addUsed(String name, Set<String> loaded, Set<String> used) {
        for (Map.Entry<String, Integer> wanted : nodes.get(name).imports.entrySet()) {
            String exporter = exporter(wanted.getKey(), name, loaded);
            if (exporter == null
                    || !nodes.get(exporter).exports.get(wanted.getKey()).equals(wanted.getValue())) {
                return false;
            }
            if (used.add(exporter) && !addUsed(exporter, loaded, used)) {
                return false;
            }
        }
        return true;
    }

    /** Of several the first by name. */
    private String exporter(String symbol, String importer, Set<String> loaded) {
        return loaded.stream()
                .sorted()
                .filter(name ->
                        !name.equals(importer) && nodes.get(name).exports.containsKey(symbol))
                .findFirst()
                .orElse(null);
    }
}
