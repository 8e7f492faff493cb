package dev.weaklink.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class NodeSetProperties {
    @Property
    void expandingUndoesFolding(@ForAll("sets") Set<String> names) throws UnreadableException {
        assertThat(NodeSet.expand(Nodes.of(names).folded()))
                .containsExactlyInAnyOrderElementsOf(names)
                .doesNotHaveDuplicates();
    }

    @Test
    void numbersThatAreTooLongForARangeStandAlone() throws UnreadableException {
        expandingUndoesFolding(Set.of("cn999999999999999999990", "cn999999999999999999991", "cn00"));
    }

    @Property
    void doesNotDependOnTheOrderOfNames(@ForAll("sets") Set<String> names, @ForAll Random random) {
        List<String> shuffled = new ArrayList<>(names);
        Collections.shuffle(shuffled, random);
        assertThat(Nodes.of(shuffled).folded()).isEqualTo(Nodes.of(names).folded());
    }

    @Property
    void parsesOrRefusesAnyText(@ForAll("texts") String text) {
        try {
            List<String> names = NodeSet.expand(text);
            assertThat(NodeSet.expand(Nodes.of(names).folded())).isEqualTo(names);
        } catch (UnreadableException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    /** Names with numbers close to each other, some padded, and with few different texts, so that many names fold. */
    @Provide
    Arbitrary<Set<String>> sets() {
        Arbitrary<String> texts = Arbitraries.of("", "cn", "gpu", "-", ".x");
        Arbitrary<String> numbers = Arbitraries.oneOf(
                Arbitraries.integers().between(0, 12).map(String::valueOf),
                Arbitraries.integers().between(97, 102).map(String::valueOf),
                Arbitraries.of(
                        "00", "01", "08", "09", "098", "099", "0", "99999999999999999998", "99999999999999999999"));
        return Combinators.combine(Arbitraries.of("cn", "n", "9"), numbers, texts, numbers, texts)
                .as((a, b, c, d, e) -> a + b + c + d + e)
                .set()
                .ofMinSize(1)
                .ofMaxSize(40);
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings().withChars("an019[],-/ @\u001b").ofMaxLength(16);
    }
}
