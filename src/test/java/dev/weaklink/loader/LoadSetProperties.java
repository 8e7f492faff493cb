package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Random modules that are judged together. */
class LoadSetProperties {
    @Provide
    Arbitrary<ModuleGraph> graphs() {
        return ModuleGraph.any();
    }

    @Property(tries = 1000)
    void loadsTheLargestConsistentSet(@ForAll("graphs") ModuleGraph graph) {
        List<Set<String>> possible = graph.possibleOutcomes();

        Set<String> loaded = loaded(verdicts(graph, List.copyOf(graph.nodes().keySet())));

        assertThat(possible).contains(loaded);
        assertThat(possible).allSatisfy(set -> assertThat(loaded).containsAll(set));
    }

    @Property(tries = 500)
    void doesNotDependOnTheOrderOfModules(@ForAll("graphs") ModuleGraph graph, @ForAll Random random) {
        List<String> names = new ArrayList<>(graph.nodes().keySet());
        Map<String, Verdict> inOrder = verdicts(graph, names);

        Collections.shuffle(names, random);
        Map<String, Verdict> shuffled = verdicts(graph, names);

        shuffled.forEach((name, verdict) -> {
            assertThat(verdict.outcome()).isEqualTo(inOrder.get(name).outcome());
            assertThat(verdict.errno()).isEqualTo(inOrder.get(name).errno());
            assertThat(verdict.findings()).isEqualTo(inOrder.get(name).findings());
            assertThat(verdict.providers()).isEqualTo(inOrder.get(name).providers());
        });
    }

    @Property(tries = 500)
    void letsAFurtherModuleUseOnlyModulesThatLoad(
            @ForAll("graphs") ModuleGraph graph, @ForAll("symbols") String symbol) {
        List<String> names = List.copyOf(graph.nodes().keySet());
        Set<String> loaded = loaded(verdicts(graph, names));
        ModuleBuilder user = ModuleBuilder.typical(Machine.X86_64, "user").importing(symbol, 1);

        Verdict verdict = Judged.alone(Kernels.version("6.1").build(), Judged.read(user.spec()), graph.modules(names))
                .verdict();

        Set<String> exporters = new TreeSet<>(loaded);
        exporters.removeIf(name -> !graph.nodes().get(name).exports().containsKey(symbol));
        assertThat(verdict.errno()).isEqualTo(exporters.isEmpty() ? "ENOENT" : "EINVAL");
        assertThat(verdict.findings()).hasSize(1);
        if (!exporters.isEmpty()) {
            assertThat(verdict.findings().get(0).exporter()).isIn(exporters);
        }
    }

    @Property(tries = 500)
    void theFirstRefusalShowsWhetherASetIsRefused(@ForAll("graphs") ModuleGraph graph) {
        TargetKernel kernel = Kernels.version("6.1").build();
        List<KernelModule> modules =
                Judged.readAll(graph.modules(List.copyOf(graph.nodes().keySet())));
        ExportRowCache rows = new ExportRowCache(kernel.exports());

        List<Verdict> all = LoadSet.together(kernel, modules, List.of(), Set.of(), rows, 1);
        List<Verdict> some = LoadSet.untilRefused(kernel, modules, List.of(), Set.of(), rows, 1);

        if (all.stream().anyMatch(verdict -> verdict.outcome() == Outcome.INCOMPATIBLE)) {
            assertThat(some).extracting(Verdict::outcome).containsExactly(Outcome.INCOMPATIBLE);
        } else {
            assertThat(some).isEqualTo(all);
        }
    }

    @Provide
    Arbitrary<String> symbols() {
        return Arbitraries.of("a", "b", "c", "both");
    }

    private static Map<String, Verdict> verdicts(ModuleGraph graph, List<String> order) {
        List<Judged> judged = Judged.together(Kernels.version("6.1"), graph.modules(order), List.of());
        Map<String, Verdict> verdicts = new TreeMap<>();
        for (int i = 0; i < order.size(); i++) {
            assertThat(judged.get(i).verdict().module().name()).isEqualTo(order.get(i));
            verdicts.put(order.get(i), judged.get(i).verdict());
        }
        return verdicts;
    }

    private static Set<String> loaded(Map<String, Verdict> verdicts) {
        Set<String> loaded = new TreeSet<>();
        verdicts.forEach((name, verdict) -> {
            if (verdict.outcome() != Outcome.INCOMPATIBLE) {
                loaded.add(name);
            }
        });
        return loaded;
    }
}
