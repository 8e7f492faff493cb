package dev.weaklink.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RpmOrderTest {
    private static final List<String> VERSIONS = List.of(
            "1.0",
            "1.0.1",
            "1.00",
            "1.010",
            "1.9",
            "1.10",
            "1.0~rc1",
            "1.0~rc2",
            "1.0^git1",
            "1.0^",
            "1.0a",
            "1.0b",
            "1.0.a",
            "a",
            "a1",
            "1a",
            "2",
            "~",
            "9.0.30_k5.14.21_1",
            "1..0",
            "9.0.30~1+git.8e9c0812_k5.14.21_1",
            "20250101",
            "007",
            "7",
            "1.0rc1",
            "\u00e91",
            "1.0_");

    @Test
    void ordersEveryPairLikeRpm() throws IOException {
        ExternalTool rpm = ExternalTool.orSkip("rpm");
        StringBuilder expected = new StringBuilder();
        for (String left : VERSIONS) {
            for (String right : VERSIONS) {
                expected.append(Integer.signum(RpmOrder.INSTANCE.compare(left, right)))
                        .append(' ');
            }
        }
        String script = "%{lua: versions = {'"
                + String.join("', '", VERSIONS)
                + "'} for i, left in ipairs(versions) do for j, right in ipairs(versions) do"
                + " print(rpm.vercmp(left, right) .. ' ') end end}";
        String answer = rpm.run("--eval", script);
        assertThat(answer.strip().replaceAll("\\s+", " "))
                .isEqualTo(expected.toString().strip());
    }

    @Test
    void ordersALongerNumberAsNewerAndATildeAsOlder() {
        assertThat(List.of("1.10", "1.9", "1.9~rc1", "1.9.1").stream().sorted(RpmOrder.INSTANCE))
                .containsExactly("1.9~rc1", "1.9", "1.9.1", "1.10");
    }
}
