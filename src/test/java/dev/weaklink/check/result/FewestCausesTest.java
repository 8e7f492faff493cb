package dev.weaklink.check.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.FewestCauses.Explanation;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Verdict;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FewestCausesTest {
    @Test
    void putsTheSymbolOfMostModulesFirst() {
        List<Explanation> explanations = FewestCauses.of(
                List.of(crc("a", "fput", "fget"), crc("b", "kfree"), crc("c", "fput"), crc("d", "fput")));

        assertThat(explanations).hasSize(2);
        assertThat(explanations.get(0).cause()).isEqualTo(new RefusalCause(Layer.SYMBOL_CRC, "fput", null));
        assertThat(names(explanations.get(0))).containsExactly("a", "c", "d");
        assertThat(names(explanations.get(1))).containsExactly("b");
    }

    @Test
    void prefersTheCauseOfMoreModulesAmongEquals() {
        List<Explanation> explanations =
                FewestCauses.of(List.of(crc("a", "x", "y"), crc("b", "x", "y"), crc("c", "z", "y")));

        assertThat(explanations).hasSize(1);
        assertThat(explanations.get(0).cause().subject()).isEqualTo("y");
        assertThat(explanations.get(0).hits()).isEqualTo(3);
    }

    @Test
    void ordersEqualCausesByTheLoadersOrderThenByName() {
        Verdict verdict = Samples.refused(
                "a", "EINVAL", Samples.missing("a", "b"), Samples.changed("a", "z"), Samples.missing("a", "a"));

        assertThat(FewestCauses.of(List.of(verdict)).get(0).cause())
                .isEqualTo(new RefusalCause(Layer.SYMBOL_MISSING, "a", null));
    }

    @Test
    void explainsAModuleByTheCausesOfItsDependency() {
        List<Explanation> explanations = FewestCauses.of(
                List.of(needs("mlx5_ib", "mlx5_core"), crc("mlx5_core", "fput"), needs("x", "mlx5_ib")));

        assertThat(explanations).hasSize(1);
        assertThat(explanations.get(0).cause()).isEqualTo(new RefusalCause(Layer.SYMBOL_CRC, "fput", null));
        assertThat(names(explanations.get(0))).containsExactly("mlx5_ib", "mlx5_core", "x");
    }

    @Test
    void dependenciesInACircleStillHaveACause() {
        List<Explanation> explanations =
                FewestCauses.of(List.of(needs("a", "b"), needs("b", "a"), needs("c", "elsewhere")));

        List<String> explained = new ArrayList<>();
        explanations.forEach(explanation -> explained.addAll(names(explanation)));
        assertThat(explained).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Property
    void explainsEachRefusedModuleOnceByOneOfItsCauses(
            @ForAll @Size(max = 30) List<@Size(min = 1, max = 6) List<@IntRange(max = 9) Integer>> sets) {
        List<Verdict> refused = new ArrayList<>();
        for (int i = 0; i < sets.size(); i++) {
            String[] symbols = sets.get(i).stream().map(number -> "s" + number).toArray(String[]::new);
            refused.add(crc("m" + i, symbols));
        }

        List<Explanation> explanations = FewestCauses.of(refused);

        List<Verdict> explained = new ArrayList<>();
        int previous = Integer.MAX_VALUE;
        for (Explanation explanation : explanations) {
            for (Verdict verdict : explanation.modules()) {
                assertThat(verdict.findings())
                        .anyMatch(finding -> RefusalCause.of(finding).equals(explanation.cause()));
            }
            assertThat(explanation.modules().size()).isBetween(1, Math.min(previous, explanation.hits()));
            previous = explanation.modules().size();
            explained.addAll(explanation.modules());
        }
        assertThat(explained).containsExactlyInAnyOrderElementsOf(refused);
    }

    private static Verdict crc(String module, String... symbols) {
        Finding[] findings = new Finding[symbols.length];
        for (int i = 0; i < symbols.length; i++) {
            findings[i] = Samples.changed(module, symbols[i]);
        }
        return Samples.refused(module, "EINVAL", findings);
    }

    private static Verdict needs(String module, String dependency) {
        return Samples.refused(
                module,
                "ENOENT",
                new Finding(
                        FindingKind.DEPENDENCY_REFUSED,
                        Effect.REFUSES,
                        "ENOENT",
                        "some_symbol",
                        null,
                        null,
                        dependency,
                        null,
                        "depends on " + dependency + ", which would not load either"));
    }

    private static List<String> names(Explanation explanation) {
        return explanation.modules().stream()
                .map(verdict -> verdict.module().name())
                .toList();
    }
}
