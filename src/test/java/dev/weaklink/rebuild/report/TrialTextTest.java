package dev.weaklink.rebuild.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.TrialStatus;
import dev.weaklink.rebuild.run.TrialStatus.KeptResult;
import dev.weaklink.report.TableOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrialTextTest {
    private static KeptResult result(String product, String kernel, TrialResult result, String line, boolean isValid) {
        List<String> modules = result == TrialResult.LOADS ? List.of("acme") : List.of();
        return new KeptResult(
                new Trial(product, kernel, result, line, "", modules, "2026-11-26T03:14:15Z", "", "", ""), isValid);
    }

    private static String text(TrialStatus status) {
        return new TrialText(new TableOptions(200, false, false)).status(status).text();
    }

    @Test
    void showsTheRunningBuildAndTheKeptResults() {
        TrialStatus status = new TrialStatus(
                "process 7 (trying acme/1.0 on 6.1.0-9)",
                "2026-11-26T03:20:00Z",
                List.of(
                        result("acme/1.0", "6.1.0-9", TrialResult.LOADS, "", true),
                        result("bad/1", "6.1.0-8", TrialResult.LOADS, "", true),
                        result("bad/1", "6.1.0-9", TrialResult.DOES_NOT_COMPILE, "bad.c:2: no\u001b", false)));
        assertThat(text(status)).isEqualTo("""
            running: process 7 (trying acme/1.0 on 6.1.0-9), since 2026-11-26T03:20:00Z

            6.1.0-9
              acme/1.0: builds and would load (1 module), 2026-11-26T03:14:15Z
              bad/1: does not compile, 2026-11-26T03:14:15Z, no longer valid: the source, headers, compiler or linker changed
                bad.c:2: no\\x1b

            6.1.0-8
              bad/1: builds and would load (1 module), 2026-11-26T03:14:15Z
            """);
    }

    @Test
    void saysThatNoBuildIsRunning() {
        assertThat(text(new TrialStatus(null, "", List.of()))).isEqualTo("no trial build is running\n");
    }
}
