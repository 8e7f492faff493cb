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
 * A few modules that use each other's symbols, with some CRCs that do not match. Sometimes two modules export one
 * symbol, or modules depend on each other in a cycle. The possible results of loading are found by trying every subset.
 *
 * @param nodes the modules by name
 */
record ModuleGraph(TreeMap<String, Node> nodes) {
    private static final int MOST = 6;
    private static final List<String> SYMBOLS = List.of("a", "b", "c", "d", "e", "f", "both");

    /** The CRCs of a module's exports and imports, by symbol. */
    record Node(Map<String, Integer> exports, Map<String, Integer> imports) {}

    static Arbitrary<ModuleGraph> any() {
        return Combinators.combine(nodeSeeds().list().ofMaxSize(MOST), Arbitraries.of(true, false))
                .as(ModuleGraph::of);
    }

    /** Returns modules with CRC deltas by imported symbol; 0 means a matching CRC. */
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
     * Returns the possible sets of loaded modules. In such a set, each module finds its symbols in the other modules,
     * in some order of loading, and no further module could be loaded.
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

    /**
     * Adds all modules that a module uses, directly or indirectly; returns false if a symbol is missing or its CRC
     * differs.
     */
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

    /** Returns the loaded module that exports the symbol; the first by name if there are several. */
    private String exporter(String symbol, String importer, Set<String> loaded) {
        return loaded.stream()
                .sorted()
                .filter(name ->
                        !name.equals(importer) && nodes.get(name).exports.containsKey(symbol))
                .findFirst()
                .orElse(null);
    }
}
