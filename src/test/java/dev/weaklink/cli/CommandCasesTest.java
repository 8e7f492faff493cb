package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ImageCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases in {@code test-fixtures/cases/command}. */
class CommandCasesTest extends CommandCases {
    static List<String> commands() throws IOException {
        return ImageCase.names("command");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void command(String name, @TempDir Path directory) throws IOException {
        Path root = Files.createDirectory(place(directory).resolve("image"));
        ImageCase asked = ImageCase.read("command", name);
        play(asked, root, null);
        String answered = text.toString().replace(root.toString(), ROOT).replaceAll(TIME, "TIME");
        assertThat(answered).isEqualTo(asked.expected(answered));
    }
}
