package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks Debian's packages without installing them. The answers must be the same as for the installed files. */
class PackagesIT {
    /** The options for a small heap. A JVM needs less than 100 MiB in addition to its heap. */
    private static final List<String> SMALL_HEAP = List.of("-XX:+UseSerialGC", "-Xmx280m");

    private final RealKernels kernels = RealKernels.atDefault();

    @TempDir
    Path scratch;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "6.1.0-50-amd64",
                "6.1.0-54-amd64",
                "6.1.0-56-rt-amd64",
                "6.12.117+deb12-amd64",
            })
    void theImagePackageAloneGivesEveryRowOfTheHeaders(String release) throws IOException {
        Path image = imagePackage(release);
        Kernel kernel = kernels.find(release).orElseThrow();
        WeaklinkRunner.Run run = run(List.of("inspect", "--symvers", image.toString()));
        assertThat(run.stderr()).isEmpty();
        assertThat(run.exitCode()).isZero();
        Report.say(release + ": " + run.stdout().size() + " rows from " + image.getFileName());
        assertThat(sorted(run.stdout())).isEqualTo(sorted(Files.readAllLines(kernel.symvers())));
    }

    /**
     * Stores the same kernel from its headers and from its package. Headers and package show the same exports and
     * machine, but the package shows more facts.
     */
    @Test
    void replacesAKernelKeptByItsHeadersWithItsPackage() throws IOException {
        Kernel kernel = kernels.find("6.1.0-56-amd64").orElseThrow();
        String store = scratch.resolve("store").toString();
        for (Path place : List.of(
                kernel.symvers().getParent(),
                imagePackage(kernel.release()),
                kernel.symvers().getParent())) {
            assertThat(run(List.of("store", "add", place.toString(), "--store", store))
                            .exitCode())
                    .isZero();
        }
        assertThat(run(List.of("store", "list", "--store", store)).stdout())
                .singleElement()
                .asString()
                .startsWith(kernel.release() + "@")
                .contains("24,683 exports, 1,");
    }

    @ParameterizedTest(name = "{0} on {1} {2}: {3} load, {4} do not")
    @CsvSource({
        "6.1.0-53-amd64, 6.1.0-54-amd64, --alone, 972, 3051",
        "6.1.0-53-amd64, 6.1.0-54-amd64, '', 445, 3578",
        "6.12.100+deb12-amd64, 6.12.101+deb12-amd64, --alone, 3615, 612",
        "6.12.100+deb12-amd64, 6.12.101+deb12-amd64, '', 2397, 1830",
    })
    void judgesAPackageOnAPackageWithLittleMemoryAndWithoutUnpacking(
            String from, String to, String how, int load, int refused) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("check", "--format", "ndjson"));
        if (!how.isEmpty()) {
            arguments.add(how);
        }
        arguments.add(imagePackage(from).toString());
        arguments.addAll(List.of("--kernel", imagePackage(to).toString()));
        WeaklinkRunner.Run run = run(arguments);
        assertThat(run.stderr()).isEmpty();
        List<VerdictLine> verdicts = run.stdout().subList(1, run.stdout().size() - 1).stream()
                .map(VerdictLine::parse)
                .toList();
        assertThat(verdicts.stream().filter(VerdictLine::loads)).as("load").hasSize(load);
        assertThat(verdicts.stream().filter(VerdictLine::incompatible))
                .as("do not")
                .hasSize(refused);
        assertThat(verdicts).hasSize(load + refused);
    }

    /** Verifies modules in their package. All are signed with the key in the kernel's own image. */
    @Test
    void everyModuleOfAKernelsPackageIsVerified() throws IOException {
        String image = imagePackage("6.1.0-56-amd64").toString();
        List<String> arguments = List.of("check", image, "--kernel", image, "--format", "ndjson");
        List<String> enforced = new ArrayList<>(arguments);
        enforced.addAll(List.of("--signature-policy", "enforced"));
        WeaklinkRunner.Run run = run(enforced);
        assertThat(run.stderr()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.stdout().stream().filter(line -> line.contains("\"unchecked\":[]")))
                .hasSize(4023);
    }

    /** Runs weaklink in a small heap, and with a directory for temporary files that must stay without modules. */
    private WeaklinkRunner.Run run(List<String> arguments) throws IOException {
        List<String> options = new ArrayList<>(SMALL_HEAP);
        options.add("-Djava.io.tmpdir=" + scratch);
        WeaklinkRunner.Run run = WeaklinkRunner.run(options, arguments);
        try (Stream<Path> left = Files.walk(scratch)) {
            assertThat(left.filter(file -> file.toString().contains(".ko"))).isEmpty();
        }
        return run;
    }

    private Path imagePackage(String release) {
        Optional<Path> file = kernels.packageFile("linux-image-" + release);
        if (file.isEmpty()) {
            Report.say("PACKAGE GONE: linux-image-" + release);
        }
        assumeThat(file).isPresent();
        return file.orElseThrow();
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted().toList();
    }
}
