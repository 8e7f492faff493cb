package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildSearchTest {
    @TempDir
    Path directory;

    @Test
    void namesTheLimitThatEndedTheSearch() throws IOException {
        Path deep = directory;
        for (int level = 0; level < 33; level++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        List<InputProblem> problems = new ArrayList<>();
        BuildSearch.below(directory.toString(), problems);
        assertThat(problems)
                .extracting(InputProblem::message)
                .containsExactly("not checked; weaklink searches at most 32 levels of directories;"
                        + " give fewer or deeper directories");
    }
}
