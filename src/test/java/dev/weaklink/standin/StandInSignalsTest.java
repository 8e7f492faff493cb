package dev.weaklink.standin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reaction of the stand-in to signals, and the files that it leaves. */
@Timeout(120)
class StandInSignalsTest {
    @TempDir
    Path tmp;

    private StandInImage image;
    private Map<String, String> switches;

    @BeforeEach
    void makeImage() throws IOException {
        image = StandInImage.make(tmp.resolve("image"));
        switches = new HashMap<>(StandInImage.withoutCompiler(tmp));
        Files.createDirectory(tmp.resolve("results"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void signalToTheGroupEndsTheBuildAndKeepsItsDirectories(String signal) throws IOException {
        switches.put("STANDIN_FAULT", "hang");
        try (StandInProcess build = start()) {
            StandInRun run = build.signalGroup(signal);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.lines()).contains("ERROR: Killed by user.");
            assertThat(results()).hasSize(2).allMatch(name -> name.matches("mlnx_iso\\.\\d+(_logs)?"));
        }
    }

    @Test
    void leavesATruncatedResultIfKilledWhilePacking() throws IOException {
        switches.put("STANDIN_FAULT", "hang-pack");
        try (StandInProcess build = start()) {
            build.signalGroup("TERM");
            assertThat(results()).anyMatch(name -> name.equals("result.tgz"));
            assertThat(tmp.resolve("results/result.tgz")).hasSize(2000);
        }
    }

    @Test
    void killsABuildThatIgnoresSignals() throws IOException {
        switches.put("STANDIN_FAULT", "ignore-term");
        try (StandInProcess build = start()) {
            build.signal("TERM");
            assertThat(build.left()).isGreaterThanOrEqualTo(2);
            assertThat(build.signalGroup("KILL").exitCode()).isEqualTo(128 + 9);
        }
    }

    @Test
    void canLeaveAProcessOfItsGroup() throws IOException {
        switches.put("STANDIN_FAULT", "left-behind");
        try (StandInProcess build = start()) {
            assertThat(build.ended().exitCode()).isZero();
            assertThat(build.left()).isEqualTo(1);
        }
    }

    @Test
    void canLeaveAProcessOfAnotherSession() throws IOException {
        switches.put("STANDIN_FAULT", "escaped");
        try (StandInProcess build = start()) {
            ProcessHandle escaped = ProcessHandle.of(build.reportedPid()).orElseThrow();
            assertThat(build.ended().exitCode()).isZero();
            assertThat(build.left()).isZero();
            assertThat(escaped.destroyForcibly()).isTrue();
        }
    }

    private StandInProcess start() throws IOException {
        return StandInProcess.ready(
                image,
                switches,
                tmp,
                "-m",
                image.directory().toString(),
                "-t",
                tmp.resolve("results").toString(),
                "-k",
                "6.1.0-53-amd64",
                "-n",
                "result",
                "-y",
                "--skip-repo");
    }

    private List<String> results() throws IOException {
        try (Stream<Path> left = Files.list(tmp.resolve("results"))) {
            return left.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }
}
