package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimilarTest {
    private static final List<String> NAMES = List.of(
            "check",
            "gate",
            "weak-modules",
            "--kernel",
            "mlx5_core",
            "mlx5_ib",
            "5.14.0-503.11.1.el9_5.x86_64",
            "5.14.0-570.el9.x86_64");

    @ParameterizedTest
    @CsvSource({
        "chek, check",
        "CHECK, check",
        "gtae, gate",
        "weak_module, weak-modules",
        "--kernl, --kernel",
        "mlx5-cor, mlx5_core",
        "5.14.0-507.el9.x86_64, 5.14.0-570.el9.x86_64",
        "5.14.0-570, 5.14.0-570.el9.x86_64"
    })
    void putsTheClosestFirst(String typed, String meant) {
        assertThat(Similar.to(typed, NAMES)).startsWith(meant);
    }

    @ParameterizedTest
    @CsvSource({"''", "x", "--foo", "nvidia", "sda1", "6.1.0-54-amd64"})
    void suggestsNothingIfNoNameIsSimilar(String typed) {
        assertThat(Similar.question(typed, NAMES)).isEmpty();
    }

    @Test
    void suggestsTheSimilarName() {
        assertThat(Similar.question("gat", List.of("gate", "game", "gas", "got", "nothing")))
                .isEqualTo("; did you mean 'gate' or 'gas' or 'got'?");
    }

    @Test
    void comparesALongWordQuickly() {
        assertThat(Similar.to("a".repeat(1 << 20), List.of("a".repeat(1 << 20))))
                .isEmpty();
    }
}
