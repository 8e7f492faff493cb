package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.report.ExplainedFinding;
import org.junit.jupiter.api.Test;

/** {@code weaklink explain} with ids of findings. Single findings are in test-fixtures/cases/command. */
class ExplainFindingTest {
    @Test
    void listsEveryKindOnce() {
        WholeRun run = WholeRun.of("explain");

        assertThat(run.status()).isZero();
        for (ExplainedFinding kind : ExplainedFinding.ALL) {
            assertThat(run.out().lines().filter(line -> line.startsWith(kind.id() + " ")))
                    .as(kind.id())
                    .hasSize(1);
        }
    }
}
