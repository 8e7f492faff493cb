package dev.weaklink.standin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the stand-in's script accepts the documented options. */
class StandInArgumentsTest {
    private static final String KERNEL = "6.1.0-53-amd64";

    @TempDir
    Path tmp;

    private StandInImage image;
    private Map<String, String> switches;

    @BeforeEach
    void makeImage() throws IOException {
        image = StandInImage.make(tmp.resolve("image"));
        switches = new HashMap<>(StandInImage.withoutCompiler(tmp));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-h", "--help"})
    void exitsWith0ForHelp(String option) throws IOException {
        StandInRun run = image.run(switches, option);
        assertThat(run.exitCode()).isZero();
        assertThat(run.lines().get(0)).startsWith("Usage: mlnx_add_kernel_support.sh ");
    }

    @Test
    void exitsWith0ForTheVersion() throws IOException {
        StandInRun run = image.run(switches, "--version");
        assertThat(run.exitCode()).isZero();
        assertThat(run.lines()).containsExactly("Version: 7.2-standin");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-f", "--check-deps", "--dkms", "--skip-distro-check", "-k", "--without-"})
    void printsUsageAndExitsWithOneForUnknownOptions(String argument) throws IOException {
        StandInRun run = image.run(switches, "-y", argument);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lines()).anyMatch(line -> line.startsWith("Usage: "));
    }

    @Test
    void printsTheUsageAndExitsWith1WithoutArguments() throws IOException {
        StandInRun run = image.run(switches);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lines().get(0)).startsWith("Usage: ");
    }

    @Test
    void requiresAnImage() throws IOException {
        StandInRun run = image.run(switches, "-y");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lines().get(0)).isEqualTo("Path to MLNX_OFED/mlnx-en directory is not defined.");
    }

    @Test
    void buildsNothingAndExitsWith0WithoutYesAndATerminal() throws IOException {
        StandInRun run = rebuild();
        assertThat(run.exitCode()).isZero();
        assertThat(run.output()).contains("Note: This program will create MLNX_OFED_LINUX TGZ");
        assertThat(run.output()).doesNotContain("Created").doesNotContain("See log file");
        try (Stream<Path> left = Files.list(results())) {
            assertThat(left.map(path -> path.getFileName().toString()).sorted().toList())
                    .hasSize(2)
                    .allMatch(name -> name.matches("mlnx_iso\\.\\d+(_logs)?"));
        }
    }

    @Test
    void theResultIsNamedAfterProductVersionDistributionAndArchitecture() throws IOException {
        switches.put("ARCH", "ppc64le");
        assertThat(rebuild("-y").created())
                .isEqualTo(results().resolve("MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-ppc64le-ext.tgz"));
    }

    @Test
    void usesAGivenName() throws IOException {
        assertThat(rebuild("-y", "-n", "mine").created()).isEqualTo(results().resolve("mine.tgz"));
    }

    @Test
    void recognisesAnImageOfMlnxEn() throws IOException {
        StandInImage en = StandInImage.make(tmp.resolve("en"), "mlnx-en");
        StandInRun run = en.run(
                switches,
                "-m",
                en.directory().toString(),
                "-t",
                results().toString(),
                "-y",
                "--skip-repo",
                "-k",
                KERNEL);
        assertThat(run.created().getFileName().toString()).startsWith("mlnx-en-24.10-1.1.4.0-debian12-");
    }

    @Test
    void writesTheResultBelowTmpdir() throws IOException {
        switches.put("TMP", results().toString());
        StandInRun run = image.run(switches, "-m", image.directory().toString(), "-y", "--skip-repo", "-k", KERNEL);
        assertThat(run.created().getParent()).isEqualTo(results());
    }

    @ParameterizedTest
    @CsvSource({"rhel,9.4,rhel9.4", "rocky,8.10,rhel8.10", "sles,15.5,sles15sp5", "debian,12,debian12"})
    void theDistributionIsRecognised(String id, String version, String name) throws IOException {
        switches.put(
                "STANDIN_OS_RELEASE", StandInImage.osRelease(tmp, id, version).toString());
        StandInRun run = rebuild();
        assertThat(run.lines().get(0)).contains(" will create MLNX_OFED_LINUX TGZ for " + name + " ");
    }

    @Test
    void refusesANewerDistributionUnlessTheUserNamesOne() throws IOException {
        switches.put(
                "STANDIN_OS_RELEASE",
                StandInImage.osRelease(tmp, "rhel", "10.0").toString());
        StandInRun refused = rebuild("-y");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.lastLine()).isEqualTo("Linux Distribution (rhel-release-10.0) is not supported");
        StandInRun named = rebuild("-y", "--distro", "rhel9.4");
        assertThat(named.exitCode()).isZero();
        assertThat(named.lines()).contains("WARNING: The current MLNX_OFED_LINUX is intended for debian12 !");
        StandInImage result = StandInImage.unpack(named.created(), results());
        assertThat(result.directory().resolve("distro")).hasContent("skip-distro-check");
    }

    @Test
    void acceptsASourceBundleAtAnotherPath() throws IOException {
        Path bundle;
        try (Stream<Path> sources = Files.list(image.directory().resolve("src"))) {
            bundle = Files.move(sources.findFirst().orElseThrow(), tmp.resolve("elsewhere.tgz"));
        }
        assertThat(rebuild("-y").exitCode()).isEqualTo(1);
        assertThat(rebuild("-y", "--ofed-sources", bundle.toString()).exitCode())
                .isZero();
    }

    @Test
    void omitsAPackageOnRequest() throws IOException {
        assertThat(TarList.of(
                        rebuild("-y", "--without-wl-en", "--without-depcheck").created()))
                .anyMatch(name -> name.endsWith("/wl_core.ko"))
                .noneMatch(name -> name.endsWith("/wl_en.ko"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "quo'te", "dou\"ble", "new\nline", "$(touch x)", "-dash", "*"})
    void acceptsAnyCharacterInANameExceptASlash(String name) throws IOException {
        StandInImage odd = StandInImage.make(tmp.resolve("image of " + name));
        Path into = Files.createDirectory(tmp.resolve("results of " + name));
        StandInRun run = odd.run(
                switches,
                "-m",
                odd.directory().toString(),
                "-t",
                into.toString(),
                "-n",
                name,
                "-k",
                KERNEL,
                "-y",
                "--skip-repo");
        assertThat(run.exitCode()).as(run.output() + run.stderr()).isZero();
        assertThat(into.resolve(name + ".tgz")).isRegularFile();
        try (Stream<Path> left = Files.list(into)) {
            assertThat(left).hasSize(1);
        }
    }

    private StandInRun rebuild(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("-m", image.directory().toString(), "-t", results().toString(), "-k", KERNEL));
        arguments.add("--skip-repo");
        arguments.addAll(List.of(more));
        return image.run(switches, arguments.toArray(String[]::new));
    }

    private Path results() throws IOException {
        return Files.createDirectories(tmp.resolve("results"));
    }
}
