package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static dev.weaklink.cli.RebuildPlace.built;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The effects of a site's rules on builds. */
class RebuildRulesTest {
    private static final String OLD = "6.1.0-0-amd64";

    @TempDir
    Path directory;

    private RebuildPlace place;

    @BeforeEach
    void prepare() throws IOException {
        place = RebuildPlace.in(directory);
    }

    private void rule(String text) {
        place.image().file("etc/weaklink/acme.yaml", text.getBytes(StandardCharsets.UTF_8));
    }

    private void acme(String rebuild) {
        rule("products:\n  - id: acme\n    recognise: {modules: wl_core}\n    rebuild: " + rebuild);
    }

    private WholeRun rebuild(String... more) {
        List<String> words = new ArrayList<>(List.of("rebuild", "--kernel", KERNEL));
        words.addAll(List.of("--root", place.image().root().toString()));
        words.addAll(List.of(more));
        return WholeRun.with(place.environment(), words.toArray(String[]::new));
    }

    private String copying() {
        return """
        {backend: command, results: "{root}/out of/{kernel}", environment: {FROM: "%s"},
           command: [sh, -c, 'mkdir -p "$1" && cp "$FROM"/wl_core.ko "$1" && echo "<$2>"', x,
             "{results}", "a b;{kernel}"]}
        """.formatted(directory.resolve("ready-made"));
    }

    @Test
    void passesTheWordsAndEnvironmentOfACommandUnchanged() {
        acme(copying());
        place.image().module(OLD, "extra/acme/wl_core.ko", built("wl_core", OLD));
        WholeRun run = rebuild("--product", "acme", "--backend", "command", "--verbose");
        assertThat(place.neutral(run)).isEqualTo(new WholeRun(0, """
                6.1.0-1-amd64: 1 module built, 1 of which the kernel would load
                  COMPATIBLE  wl_core
                  result: RUN/resultsROOT/out of/6.1.0-1-amd64/wl_core.ko
                  log and results: RUN
                  to install: weaklink rebuild --kernel 6.1.0-1-amd64 --install 1 --root ROOT
                """, """
                weaklink: the log and the results of this run are in RUN
                weaklink: building
                  <a b;6.1.0-1-amd64>
                weaklink: checking the results
                """));
    }

    @Test
    void installsTheResultsOfACommand() {
        ExternalTool.orSkip("depmod");
        acme(copying());
        place.image().module(OLD, "extra/acme/wl_core.ko", built("wl_core", OLD));
        WholeRun run = rebuild("--product", "acme", "--backend", "command", "--install");
        assertThat(place.neutral(run)).isEqualTo(new WholeRun(0, """
                6.1.0-1-amd64: 1 module built, 1 of which the kernel would load
                  COMPATIBLE  wl_core
                  result: RUN/resultsROOT/out of/6.1.0-1-amd64/wl_core.ko
                  log and results: RUN
                6.1.0-1-amd64: installed; the kernel would load 1 of 1 module
                  + /lib/modules/6.1.0-1-amd64/extra/acme/wl_core.ko
                  to undo: weaklink undo --root ROOT
                """, """
                weaklink: the log and the results of this run are in RUN
                weaklink: building
                weaklink: checking the results
                """));
        assertThat(place.image().modules(KERNEL).resolve("extra/acme/wl_core.ko"))
                .isRegularFile();
    }

    @Test
    void runsACommandOfAnImageOnlyOnRequest() {
        acme("{backend: command, command: [touch, \"" + directory.resolve("proof") + "\"]}");
        WholeRun run = rebuild("--product", "acme");
        assertThat(run.messages())
                .containsExactly(
                        "the build command is in the rules below --root, so weaklink runs it only on request: show it"
                                + " with --dry-run --backend command, run it with --backend command");
        assertThat(run.status()).isEqualTo(2);
        assertThat(directory.resolve("proof")).doesNotExist();
    }
}
