package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TerminalProgressTest {
    private static final long MILLISECOND = 1_000_000L;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private long now;
    private final Progress progress =
            new TerminalProgress(new PrintStream(err, true, StandardCharsets.UTF_8), () -> now);

    @Test
    void shortWorkShowsNothing() {
        progress.start(10, "modules");
        now += 99 * MILLISECOND;
        progress.step(10);
        progress.done();

        assertThat(err.size()).isZero();
    }

    @Test
    void redrawsAtMostTenTimesASecond() {
        progress.start(1000, "modules");
        for (int i = 0; i < 1000; i++) {
            now += MILLISECOND;
            progress.step(1);
        }

        assertThat(drawings()).isEqualTo(10);
        assertThat(text()).endsWith("] 1000 of 1000 modules");
    }

    @Test
    void erasesTheLineAtTheEnd() {
        progress.start(2, "modules");
        now += 100 * MILLISECOND;
        progress.step(1);
        progress.done();
        progress.done();

        assertThat(text()).isEqualTo("\r\u001b[K[" + "#".repeat(15) + ".".repeat(15) + "] 1 of 2 modules\r\u001b[K");
        assertThat(drawings()).isEqualTo(2);
    }

    @Test
    void drawsALongerBarForMoreWork() {
        assertThat(TerminalProgress.line(0, 4, "kernels")).isEqualTo("[" + ".".repeat(30) + "] 0 of 4 kernels");
        assertThat(TerminalProgress.line(2, 4, "kernels"))
                .isEqualTo("[" + "#".repeat(15) + ".".repeat(15) + "] 2 of 4 kernels");
        assertThat(TerminalProgress.line(9, 4, "kernels")).isEqualTo("[" + "#".repeat(30) + "] 9 of 4 kernels");
    }

    private String text() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private long drawings() {
        return text().chars().filter(c -> c == '\r').count();
    }
}
