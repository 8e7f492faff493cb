package dev.weaklink.links.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.links.transaction.PathChange.PathState;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTextTest {
    private static final PathState LINK = new PathState.Link("/lib/modules/5.1/extra/x.ko");
    private static final PathState OTHER = new PathState.Link("/lib/modules/5.2/extra/x.ko");

    private static PathChange change(String kernel, String place, PathState before, PathState after) {
        return new PathChange("/lib/modules/" + kernel + "/weak-updates/" + place, before, after);
    }

    @Test
    void printsOneLineForEachKernelAndDriver() {
        assertThat(HistoryText.summary(
                        List.of(
                                change("5.3", "mlnx/core/a.ko", PathState.ABSENT, LINK),
                                change("5.3", "mlnx/core", PathState.ABSENT, new PathState.Directory(0755)),
                                change("5.3", "mlnx/net/b.ko.xz", LINK, OTHER),
                                change("5.3", "mlnx/net/c.ko", PathState.ABSENT, LINK),
                                change("5.3", "d.ko.xz", LINK, PathState.ABSENT),
                                change("5.4", "updates/kmp-1/e.ko", PathState.ABSENT, LINK)),
                        List.of("5.3", "5.4")))
                .isEqualTo("""
            5.3: d: 1 link removed
            5.3: mlnx: 2 links made, 1 link replaced
            5.4: kmp-1: 1 link made
            """);
    }

    @Test
    void namesAKernelForWhichOnlyDepmodRan() {
        assertThat(HistoryText.summary(List.of(), List.of("5.3"))).isEqualTo("5.3: depmod run, no link changed\n");
        assertThat(HistoryText.summary(List.of(), List.of())).isEmpty();
    }

    @Test
    void escapesNamesForTheTerminal() {
        String text = HistoryText.summary(List.of(change("5.3", "a\u001b[2J/a.ko", PathState.ABSENT, LINK)), List.of());
        assertThat(text).doesNotContain("\u001b");
    }
}
