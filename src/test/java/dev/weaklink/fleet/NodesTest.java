package dev.weaklink.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.UnreadableException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodesTest {
    private static final int MANY = 300_000;

    @Test
    void namesAndParsesMoreNodesThanAHeadingCanName() throws UnreadableException {
        Nodes nodes = Nodes.of(IntStream.range(0, MANY).mapToObj(i -> "cn" + i).toList());
        assertThat(nodes.names()).hasSize(MANY).startsWith("cn0", "cn1").endsWith("cn299999");
        assertThat(nodes.folded()).isEqualTo("cn[0-299999]");
        assertThat(Nodes.parse(nodes.folded())).isEqualTo(nodes);
        assertThat(nodes.and(Nodes.of(List.of("gpu1"))).count()).isEqualTo(MANY + 1);
    }

    @Test
    void setsOfOneFleetUnite() {
        NodeList list = new NodeList();
        for (int node = 20; node > 0; node--) {
            list.add((node % 4 == 3 ? "r1n" : "cn") + node, node % 4);
        }
        List<Nodes> kinds = list.sorted().byKind(5);
        assertThat(kinds).hasToString("[cn[4,8,12,16,20], cn[1,5,9,13,17], cn[2,6,10,14,18], r1n[3,7,11,15,19], ]");
        assertThat(Nodes.union(List.of(Nodes.NONE, kinds.get(2), kinds.get(1), kinds.get(2))))
                .hasToString("cn[1-2,5-6,9-10,13-14,17-18]")
                .isEqualTo(list.sorted().ofKinds(kind -> kind == 1 || kind == 2));
        assertThat(kinds.get(3).and(kinds.get(4))).isSameAs(kinds.get(3));
        assertThat(kinds.get(1).first()).isEqualTo("cn1");
        assertThat(kinds.get(0).first()).isEqualTo("cn12");
    }

    @Test
    void setsOfDifferentFleetsUnite() {
        Nodes some = Nodes.of(List.of("cn1", "cn10", "cn9"));
        assertThat(some.and(Nodes.of(List.of("cn10", "cn2-ib")))).hasToString("cn[1,9-10],cn2-ib");
        assertThat(some.and(Nodes.NONE)).isSameAs(some);
        assertThat(Nodes.union(List.of())).isSameAs(Nodes.NONE);
    }
}
