package dev.weaklink.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.LibraryFinding;
import dev.weaklink.fleet.intake.NodeInventory.NodeKernel;
import dev.weaklink.fleet.intake.NodeInventory.Userspace;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.testing.Records;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RdmaLibrariesTest {
    private static final String LIBRARY = "/usr/lib64/libibverbs.so.1";
    private static final LibraryFinding FAILS =
            new LibraryFinding("userspace.symbol-missing", "mlx5", "undefined symbol: x", "a 1");
    private static final LibraryFinding WARNS =
            new LibraryFinding("userspace.provider-left-over", "/lib/x.so", "not loaded", "");

    private final Audit audit = new Audit();

    private void node(String name, @Nullable Userspace userspace) {
        audit.add(
                name,
                Records.of(
                        NodeInventory.class,
                        "kernels",
                        List.of(new NodeKernel("6.1.0", true)),
                        "policy",
                        NodePolicy.PERMISSIVE,
                        "userspace",
                        userspace));
    }

    private AuditReport report() {
        return AuditReportBuilder.of(audit.census(), List.of(), List.of(), 0);
    }

    @Test
    void groupsNodesByDefectFailuresFirst() {
        node("n1", new Userspace(LIBRARY, List.of(WARNS, FAILS)));
        node("n3", new Userspace(LIBRARY, List.of(FAILS)));
        node("n2", new Userspace(LIBRARY, List.of(WARNS)));
        node("n4", new Userspace(LIBRARY, List.of()));

        RdmaLibraries libraries = report().libraries();

        assertThat(libraries.checked().folded()).isEqualTo("n[1-4]");
        assertThat(libraries.problems())
                .extracting(problem ->
                        problem.defect().kind().id() + " " + problem.nodes().folded())
                .containsExactly("userspace.symbol-missing n[1,3]", "userspace.provider-left-over n[1-2]");
        assertThat(libraries.problems().get(0).defect().words())
                .isEqualTo("mlx5: a provider or its library needs a symbol that none of the loaded libraries defines"
                        + " (undefined symbol: x; a 1)");
        assertThat(report().hasDefects()).isTrue();
    }

    @Test
    void ignoresANodeThatReportsNoLibraries() {
        node("n1", null);
        node("n2", new Userspace(null, List.of()));
        node("n3", new Userspace(LIBRARY, List.of()));

        RdmaLibraries libraries = report().libraries();

        assertThat(libraries.checked().folded()).isEqualTo("n3");
        assertThat(libraries.without().folded()).isEqualTo("n2");
        assertThat(libraries.known().folded()).isEqualTo("n[2-3]");
    }

    @Test
    void doesNotCountAWarningAsAFailure() {
        node("n1", new Userspace(LIBRARY, List.of(WARNS)));

        assertThat(report().hasDefects()).isFalse();
        assertThat(report().hasUnknown()).isFalse();
    }

    @Test
    void countsANodeOfALaterVersionAsIncomplete() {
        LibraryFinding later = new LibraryFinding("userspace.of-tomorrow", "x", "y", "");
        node("n1", new Userspace(LIBRARY, List.of(later)));

        assertThat(report().libraries().problems()).isEmpty();
        assertThat(report().incomplete().folded()).isEqualTo("n1");
    }
}
