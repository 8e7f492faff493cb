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

/** What a site's rules say about building. */
class RebuildRulesTest {
  private static final String OLD = "6.1.0-0-amd64";

  @TempDir Path directory;
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
        """
        .formatted(directory.resolve("ready-made"));
  }

  @Test
  void aCommandGetsItsWordsAndItsEnvironmentAsTheyAreWritten() {
    acme(copying());
    place.image().module(OLD, "extra/acme/wl_core.ko", built("wl_core", OLD));
    WholeRun run = rebuild("--product", "acme", "--backend", "command", "--verbose");
    assertThat(run.err()).contains("  <a b;6.1.0-1-amd64>\n");
    assertThat(run.out()).contains("1 module built, 1 of which the kernel would load\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void whatACommandBuiltIsInstalled() {
    ExternalTool.orSkip("depmod");
    acme(copying());
    place.image().module(OLD, "extra/acme/wl_core.ko", built("wl_core", OLD));
    WholeRun run = rebuild("--product", "acme", "--backend", "command", "--install");
    assertThat(run.out()).contains("installed; of 1 module it would load 1\n");
    assertThat(run.status()).isZero();
    assertThat(place.image().modules(KERNEL).resolve("extra/acme/wl_core.ko")).isRegularFile();
  }

  @Test
  void aCommandOutOfAnImageIsNotRunUnlessItIsAskedFor() {
    acme("{backend: command, command: [touch, \"" + directory.resolve("proof") + "\"]}");
    WholeRun run = rebuild("--product", "acme");
    assertThat(run.messages())
        .containsExactly(
            "the image's own rules name a command to build with; add --dry-run --backend command to"
                + " see it, and --backend command alone to have it run here");
    assertThat(run.status()).isEqualTo(2);
    assertThat(directory.resolve("proof")).doesNotExist();
  }

  @Test
  void aPlanNamesWhatRulesSay() {
    acme("{backend: dkms, packages: acme/1}");
    place
        .image()
        .module(OLD, "extra/acme/wl_core.ko", built("wl_core", OLD).importing("_printk", 4));
    WholeRun plan = WholeRun.of("plan", "--root", place.image().root().toString());
    assertThat(plan.out())
        .contains(
            "  by: dkms, as /etc/weaklink/acme.yaml:4 says\n",
            "\n  weaklink rebuild --kernel 6.1.0-1-amd64 --product acme --root ",
            "\nNext: weaklink apply --rebuild --root ");
  }

  @Test
  void everyMistakeOfARuleHasItsPlace() {
    rule(
        """
        products:
          - id: a
            rebuild: {product: b}
          - id: b
            rebuild: {backend: command}
          - id: c
            rebuild: {backend: dkms, results: /x, environment: {A: b}}
          - id: d
            rebuild: {backend: command, command: [x, [y]], environment: [z], results: y}
          - id: e
            rebuild: {backend: command, command: x, environment: {"A=B": c, D: {e: f}}}
        """);
    WholeRun run = WholeRun.of("rules", "check", "--root", place.image().root().toString());
    assertThat(run.out() + run.err())
        .contains(
            "acme.yaml:3:14: 'rebuild' has no backend; name one",
            "acme.yaml:5:14: the backend 'command' has no command; name a program and its words",
            "acme.yaml:7:30: 'results' is for the backend 'command' alone",
            "acme.yaml:7:43: 'environment' is for the backend 'command' alone",
            "acme.yaml:9:46: 'command' takes texts of up to 1000 characters, not a list",
            "acme.yaml:9:65: 'environment' takes names and values, not a list",
            "acme.yaml:9:79: 'results' takes an absolute path, which may begin with {root} or"
                + " {build}, not 'y'",
            "'A=B' is not a variable name",
            "'environment' takes texts of up to 1000 characters, not keys and values");
  }
}
