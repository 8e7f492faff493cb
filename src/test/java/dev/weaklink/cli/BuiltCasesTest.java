package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ImageCase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases in {@code test-fixtures/cases/built}, which have a vendor's build system. */
class BuiltCasesTest extends CommandCases {
    static List<String> builds() throws IOException {
        return ImageCase.names("built");
    }

    @ParameterizedTest
    @MethodSource("builds")
    void build(String name, @TempDir Path directory) throws IOException {
        RebuildPlace place = RebuildPlace.in(place(directory));
        environment.putAll(place.environment());
        ImageCase asked = ImageCase.read("built", name);
        play(asked, place.image().root(), place);
        // Builds of users other than root need fakeroot.
        String answered = place.neutral(text.toString()).replace("fakeroot -- ", "");
        answered = answered.replaceAll(TIME, "TIME");
        assertThat(answered).isEqualTo(asked.expected(answered));
    }
}
