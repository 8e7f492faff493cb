package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks thousands of modules twice. With cached facts, the output must be the same, byte for byte. */
class KeptFactsIT {
    @TempDir
    Path scratch;

    @ParameterizedTest
    @CsvSource({"6.1.0-53-amd64, 6.1.0-54-amd64, ''", "6.12.100+deb12-amd64, 6.12.101+deb12-amd64, --alone"})
    void theResultIsTheSameWithoutWithAnEmptyAndWithAFullCache(String from, String to, String option)
            throws IOException {
        Kernel source = present(from);
        Kernel target = present(to);
        List<String> how = option.isEmpty() ? List.of() : List.of(option);
        Path cache = scratch.resolve("cache");
        List<String> without = check(source, target, how, "off");

        assertThat(check(source, target, how, cache.toString())).isEqualTo(without);
        assertThat(sizeOf(cache)).isPositive();
        assertThat(check(source, target, how, cache.toString())).isEqualTo(without);
    }

    private static Kernel present(String release) {
        Optional<Kernel> kernel = RealKernels.atDefault().find(release);
        assumeThat(kernel).as(release + " is not in the package index any more").isPresent();
        return kernel.orElseThrow();
    }

    private static List<String> check(Kernel source, Kernel target, List<String> how, String cache) {
        List<String> arguments = new java.util.ArrayList<>(List.of("check", "--format", "ndjson", "--root"));
        arguments.addAll(List.of(target.root().toString(), "--kernel", target.release()));
        arguments.addAll(how);
        arguments.add(source.modules().toString());
        return WeaklinkRunner.run(arguments, cache).stdout();
    }

    private static long sizeOf(Path cache) throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
