package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.TableOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an audit's table shows first, and how much of it. */
class AuditTableTest {
    private static final TableOptions SCREEN = new TableOptions(100, false, false);

    @ParameterizedTest
    @ValueSource(ints = {5, 300, 10_000})
    void atAnySizeTheAnswerIsOnOneScreen(int sets) {
        String table = AuditTable.lines(SampleAudits.large(sets, 12), SCREEN);
        assertThat(table).startsWith("Best kernel: ");
        assertThat(table.lines().count()).isLessThanOrEqualTo(48);
        assertThat(table.lines().map(String::length))
                .as("node sets end with the line")
                .filteredOn(length -> length > 160)
                .isEmpty();
    }

    @Test
    void whatIsLeftOutIsCountedAndShownIfAskedFor() {
        String table = AuditTable.lines(SampleAudits.large(300, 12), SCREEN);
        assertThat(table).contains("  … and 294 more groups (-v)\n").doesNotContain("more kernels");
        String all = AuditTable.lines(SampleAudits.large(300, 12), new TableOptions(100, false, true));
        assertThat(all).doesNotContain("(-v)");
        assertThat(all.lines().count()).isGreaterThan(300);
    }

    @Test
    void kernelsComeFirstThenWhoDidNotAnswerThenWhatIsWrong() {
        String table = AuditTable.lines(SampleAudits.small(), SCREEN);
        assertThat(table)
                .containsSubsequence(
                        "Best kernel: 5.14.0-503.11.1.el9_5.x86_64",
                        "KERNEL                        READY  LINK  INSTALL  REBUILD  BLOCKED  UNDETERMINED  NODES\n",
                        "No answer (connection refused): cn[998-999]\n",
                        "Now wrong in 5.14.0-503.11.1.el9_5.x86_64 on cn[017-019]:\n",
                        "KERNEL                        MODULES  SET",
                        "415 nodes in 3 groups; no answer from 2 nodes; skipped: 2 pieces of input\n");
    }
}
