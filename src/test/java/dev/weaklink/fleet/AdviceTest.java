package dev.weaklink.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.testing.AuditReports;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AdviceTest {
    private static final Nodes OFED = Nodes.of(List.of("a1", "a2", "a3"));
    private static final Nodes MORE = Nodes.of(List.of("b1", "b2"));
    private static final Nodes LUSTRE = Nodes.of(List.of("c1", "c2", "c3", "c4"));
    private static final Nodes OTHER = Nodes.of(List.of("d1"));

    /**
     * Returns an audit with four sets, two of one product. On the newer kernel, all nodes but one load their modules
     * after two rebuilds.
     */
    private static AuditReport report() {
        return new AuditReports()
                .nodes(10)
                .target("6.1.0-56")
                .target("6.1.0-54")
                .set("6.1.0-50", "ofed 24.10", "mlx5_core")
                .set("6.1.0-50", "ofed 24.10", "mlx5_core", "knem")
                .set("6.1.0-50", "lustre 2.15", "lnet")
                .set("6.1.0-50", null, "m1", "m2", "m3", "m4")
                .group(0, OFED, 3)
                .group(1, MORE, 2)
                .group(2, LUSTRE, 4)
                .group(3, OTHER, 1)
                .verdict(0, 0, NodeState.REBUILD)
                .verdict(0, 1, NodeState.LINK)
                .kernel(
                        0,
                        Map.of(NodeState.REBUILD, Nodes.union(List.of(OFED, MORE, LUSTRE)), NodeState.BLOCKED, OTHER))
                .kernel(
                        1,
                        Map.of(
                                NodeState.INSTALL,
                                OFED,
                                NodeState.BLOCKED,
                                Nodes.union(List.of(MORE, LUSTRE)),
                                NodeState.UNDETERMINED,
                                OTHER))
                .action(NodeState.REBUILD, 0, 0, OFED, "weaklink rebuild --kernel 6.1.0-56")
                .action(NodeState.REBUILD, 0, 1, MORE, "weaklink rebuild --kernel 6.1.0-56")
                .action(NodeState.REBUILD, 0, 2, LUSTRE, "weaklink rebuild --kernel 6.1.0-56")
                .action(NodeState.BLOCKED, 0, 3, OTHER, null)
                .action(NodeState.BLOCKED, 1, 1, MORE, null)
                .action(NodeState.BLOCKED, 1, 2, LUSTRE, null)
                .action(NodeState.UNDETERMINED, 1, 3, OTHER, null)
                .build();
    }

    @Test
    void combinesStepsByProductAndKernelTheMostNodesFirst() {
        assertThat(Advice.of(report()).of(0))
                .extracting(step ->
                        step.product() + " " + step.sets() + " " + step.nodes().folded())
                .containsExactly("ofed 24.10 2 a[1-3],b[1-2]", "lustre 2.15 1 c[1-4]", "m1, m2, m3, ... 1 d1");
        assertThat(Advice.of(report()).steps())
                .extracting(step -> step.nodes().count())
                .containsExactly(5, 4, 4, 3, 2, 1, 1);
    }

    @Test
    void countsASetOnceIfSeveralGroupsOfNodesHaveIt() {
        AuditReport report = new AuditReports()
                .nodes(5)
                .target("6.1.0-56")
                .set("6.1.0-50", "ofed 24.10", "mlx5_core")
                .group(0, OFED, 3)
                .group(0, MORE, 2)
                .kernel(0, Map.of(NodeState.BLOCKED, Nodes.union(List.of(OFED, MORE))))
                .action(NodeState.BLOCKED, 0, 0, OFED, null)
                .action(NodeState.BLOCKED, 0, 0, MORE, null)
                .build();

        assertThat(Advice.of(report).steps()).singleElement().satisfies(step -> {
            assertThat(step.sets()).isEqualTo(1);
            assertThat(step.nodes().count()).isEqualTo(5);
        });
    }

    @Test
    void countsTheNodesServedAfterEachRebuild() {
        assertThat(Advice.of(report()).of(0))
                .extracting(Advice.AdvisedStep::served)
                .containsExactly(5, 9, 0);
    }

    @Test
    void choosesTheKernelThatHelpsMostNodes() {
        Advice advice = Advice.of(report());
        Advice.AdvisedKernel best = advice.best();
        assertThat(best).isNotNull();
        assertThat(best.target()).isZero();
        assertThat(counts(best)).containsExactly(0, 0, 0, 9, 1, 0);
        assertThat(advice.newestForAll()).isNull();
        Advice.AdvisedKernel other = advice.choices().get(1);
        assertThat(counts(other)).containsExactly(0, 0, 3, 0, 6, 1);
    }

    private static List<Integer> counts(Advice.AdvisedKernel choice) {
        return Stream.of(NodeState.values()).map(choice::count).toList();
    }

    @Test
    void prefersInstalledKernels() {
        AuditReport report = new AuditReports()
                .nodes(3)
                .target("6.1.0-57")
                .target("6.1.0-56")
                .target("6.1.0-54")
                .set("6.1.0-54", "ofed 24.10", "mlx5_core")
                .group(0, OFED, 3)
                .kernel(0, Map.of(NodeState.INSTALL, OFED))
                .kernel(1, Map.of(NodeState.LINK, OFED))
                .kernel(2, Map.of(NodeState.LINK, OFED))
                .build();
        assertThat(Advice.of(report).best().target()).isEqualTo(1);
        assertThat(Advice.of(report).steps())
                .extracting(Advice.AdvisedStep::product)
                .contains("the kernel");
    }

    @Test
    void prefersTheNewestKernelThatServesAll() {
        AuditReport report = new AuditReports()
                .nodes(3)
                .target("6.1.0-57")
                .target("6.1.0-56")
                .target("6.1.0-54")
                .set("6.1.0-54", "ofed 24.10", "mlx5_core")
                .group(0, OFED, 3)
                .kernel(0, Map.of(NodeState.REBUILD, OFED))
                .kernel(1, Map.of())
                .kernel(2, Map.of())
                .action(NodeState.REBUILD, 0, 0, OFED, null)
                .build();
        assertThat(Advice.of(report).best().target()).isEqualTo(1);
        assertThat(Advice.of(report).newestForAll().target()).isEqualTo(1);
    }

    @Test
    void choosesNothingWithoutKernels() {
        assertThat(Advice.of(new AuditReports().nodes(1).build()).best()).isNull();
    }
}
