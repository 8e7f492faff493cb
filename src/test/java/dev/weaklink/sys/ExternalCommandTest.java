package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExternalCommandTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    private static ExternalCommand sh(String script) {
        return ExternalCommand.of(List.of("/bin/sh", "-c", script), LONG);
    }

    @Test
    void returnsBothOutputsAndTheStatus() throws IOException {
        ExternalCommand.Result result =
                sh("echo out; echo; echo err >&2; exit 3").run();
        assertThat(result.lines()).containsExactly("out", "err");
        assertThat(result.status()).isEqualTo(3);
        assertThat(result.succeeded()).isFalse();
        assertThat(result.reason()).isEqualTo("exit status 3");
    }

    @Test
    void passesArgumentsUnchanged() throws IOException {
        List<String> words = List.of("printf", "%s|", "$(id)", "a b", "", "*", "'\"");
        assertThat(ExternalCommand.of(words, LONG).run().output()).isEqualTo("$(id)|a b||*|'\"|");
    }

    @Test
    void standardInputIsEmpty() throws IOException {
        assertThat(sh("cat; echo end").run().output()).isEqualTo("end\n");
    }

    @Test
    void usesTheGivenEnvironment() throws IOException {
        ExternalCommand.Result result =
                sh("/usr/bin/env").withEnvironment(Map.of("A", "b")).run();
        assertThat(result.lines()).contains("A=b").noneMatch(line -> line.startsWith("HOME="));
    }

    @Test
    void keepsOnlyTheEndOfLongOutput() throws IOException {
        ExternalCommand.Result result = sh("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done")
                .withOutputLimit(20)
                .run();
        assertThat(result.truncated()).isTrue();
        assertThat(result.output()).isEqualTo("line 2998\nline 2999\n");
    }

    @Test
    void killsAProgramAndItsChildrenAtTheTimeLimit() throws Exception {
        Path pids = directory.resolve("pids");
        String script = "sh -c 'echo $$ >> " + pids + "; sleep 1000; :' & echo $$ >> " + pids + "; wait";
        ExternalCommand.Result result =
                new ExternalCommand(List.of("/bin/sh", "-c", script), null, Duration.ofMillis(1500), 1000).run();
        assertThat(result.timedOut()).isTrue();
        assertThat(result.succeeded()).isFalse();
        assertThat(result.reason()).isEqualTo("killed because it took too long");
        List<String> started = Files.readAllLines(pids);
        assertThat(started).hasSize(2);
        for (String pid : started) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(ExternalCommandTest::awaitEnd);
        }
    }

    private static void awaitEnd(ProcessHandle process) {
        process.onExit().orTimeout(10, java.util.concurrent.TimeUnit.SECONDS).join();
    }

    @Test
    void namesASignal() throws IOException {
        assertThat(sh("kill -9 $$").run().reason()).isEqualTo("killed by signal 9");
    }

    @Test
    void failsForAMissingProgram() {
        ExternalCommand none = ExternalCommand.of(List.of("/no/such/program"), LONG);
        assertThatThrownBy(none::run).isInstanceOf(IOException.class).hasMessageContaining("No such");
    }

    @Test
    void killsTheProgramIfTheThreadIsInterrupted() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> sh("sleep 1000").run()).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }
}
