package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.ProcessGroup;
import dev.weaklink.testing.ExternalTool;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Builds in their own process that signals end in the middle. */
@Tag("slow")
class RebuildSignalTest {
    @TempDir
    Path directory;

    private RebuildPlace place;
    private Path ready;

    @BeforeEach
    void prepare() throws IOException {
        place = RebuildPlace.in(directory);
        ready = directory.resolve("ready");
        ExternalTool.orSkip("mkfifo").run(ready.toString());
    }

    /** Starts a run that hangs at this fault. */
    private Process standingStill(String fault) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                // The process that runs the tests may ignore some signals, and its children inherit that.
                "env",
                "--default-signal=INT,TERM,HUP",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(place.words()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(directory.resolve("output").toFile());
        builder.redirectInput(new File("/dev/null"));
        builder.environment().putAll(place.environment());
        builder.environment().put("STANDIN_FAULT", fault);
        builder.environment().put("STANDIN_READY", ready.toString());
        Process process = builder.start();
        // The read would never end if the process has ended.
        assertTimeoutPreemptively(Duration.ofMinutes(5), () -> Files.readString(ready));
        return process;
    }

    private void assertNothingIsLeft() throws IOException {
        assertThat(new ProcessGroup("WEAKLINK_REBUILD=" + place.run(1)).members())
                .isEmpty();
        assertThat(place.hasResult(1)).isFalse();
        assertThat(place.keepsResult(1)).isFalse();
        Path lock = place.image().root().resolve("run/weaklink/rebuild-" + KERNEL + ".lock");
        assertThat(LockFile.heldBy(lock)).isNull();
    }

    private String manifest() throws IOException {
        return Files.readString(place.run(1).resolve("manifest.json"));
    }

    @ParameterizedTest
    @CsvSource({"hang,TERM,143", "hang-pack,INT,130", "hang,HUP,129", "ignore-term,TERM,143"})
    void endsTheWholeBuildOnASignal(String fault, String signal, int status) throws IOException, InterruptedException {
        ExternalTool kill = ExternalTool.orSkip("kill");
        Process process = standingStill(fault);
        kill.run("-" + signal, Long.toString(process.pid()));
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(status);
        assertNothingIsLeft();
        assertThat(manifest()).contains("\"state\":\"cancelled\"", "\"cause\":\"killed\"");
        assertThat(Files.readString(directory.resolve("output")))
                .contains(
                        "weaklink: signal received: stopping the build\n",
                        "weaklink: the build was aborted, and nothing was installed; log: "
                                + place.run(1).resolve("log"));
    }

    @Test
    void removesFilesOfAKilledRunInTheNextRun() throws IOException, InterruptedException {
        Process process = standingStill("hang-pack");
        process.destroyForcibly().waitFor();
        assertThat(manifest()).contains("\"state\":\"running\"");
        WholeRun next = place.rebuild(Map.of());
        assertThat(next.status()).isZero();
        assertThat(next.err()).contains("an earlier run was interrupted");
        assertNothingIsLeft();
        assertThat(manifest()).contains("\"state\":\"abandoned\"");
        assertThat(place.hasResult(2)).isTrue();
    }
}
