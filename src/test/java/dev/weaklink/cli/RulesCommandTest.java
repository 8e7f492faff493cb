package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rule files as arguments, for which no root counts. The cases in test-fixtures/cases/command cover the rest. */
class RulesCommandTest {
    @TempDir
    private Path directory;

    @Test
    void givenFilesAreChecked() throws IOException {
        Path good = Files.writeString(directory.resolve("good.yaml"), "ignore: [{module: a}]\n");
        Path bad = Files.writeString(directory.resolve("bad.yaml"), "ignore: 1\n");

        assertThat(WholeRun.of("rules", "check", good.toString()))
                .isEqualTo(new WholeRun(0, "5 files are valid\n", ""));
        assertThat(WholeRun.of("rules", "check", good.toString(), bad.toString()))
                .isEqualTo(new WholeRun(2, "", "weaklink: " + bad + ":1:9: 'ignore' takes a list, not '1'\n"));
    }
}
