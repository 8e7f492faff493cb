package dev.weaklink.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PageTest {
    private final Page page = new Page(new TableOptions(40, false, false));

    @Test
    void listsAreWrappedAtTheWidthAndIndented() {
        page.wrapped(2, "modules:", List.of("aaaaaaaaa", "bbbbbbbbb", "ccccccccc", "ddddddddddd", "eeeeeeeeee"), ",");

        assertThat(page.text())
                .isEqualTo("  modules: aaaaaaaaa, bbbbbbbbb,\n" + "    ccccccccc, ddddddddddd, eeeeeeeeee\n");
    }

    @Test
    void doesNotBreakAWordLongerThanTheLine() {
        page.wrapped(0, "x:", List.of("a".repeat(60), "b"), ",");

        assertThat(page.text()).isEqualTo("x: " + "a".repeat(60) + ",\n  b\n");
    }

    @Test
    void theFirstWordIsWrappedIfItFitsOnALineOfItsOwn() {
        page.wrapped(0, "REBUILD for 6.12.117+deb13: 1 module:", List.of("v4l2loopback"), ",");

        assertThat(page.text()).isEqualTo("REBUILD for 6.12.117+deb13: 1 module:\n  v4l2loopback\n");
    }

    @Test
    void writesNoTwoEmptyLinesAndNoneAtTheTop() {
        page.gap();
        page.line("a");
        page.gap();
        page.gap();
        page.line("b");

        assertThat(page.text()).isEqualTo("a\n\nb\n");
    }
}
