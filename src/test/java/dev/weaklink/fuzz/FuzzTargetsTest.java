package dev.weaklink.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weaklink.testing.FuzzTarget;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FuzzTargetsTest {
    static Stream<String> names() {
        return FuzzTargets.ALL.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyReaderSurvivesWholeTruncatedAndDamagedSeeds(String name) throws Exception {
        FuzzTarget target = FuzzTargets.ALL.get(name).get();
        List<byte[]> seeds = target.seeds();
        Random random = new Random(5);
        assertThat(seeds).isNotEmpty();
        for (byte[] seed : seeds) {
            assertThatCode(() -> target.take(seed)).doesNotThrowAnyException();
            for (int i = 0; i < 20; i++) {
                byte[] other = Arrays.copyOf(seed, 1 + random.nextInt(seed.length));
                other[random.nextInt(other.length)] = (byte) random.nextInt(256);
                assertThatCode(() -> target.take(other)).doesNotThrowAnyException();
            }
        }
    }
}
