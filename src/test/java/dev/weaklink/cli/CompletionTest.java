package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.Samples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The completion script, in a real bash. */
class CompletionTest {
  @TempDir private Path directory;

  @Test
  void bashTakesTheScript() throws Exception {
    assertThat(bash("complete -p weaklink"))
        .contains("-F _complete_weaklink")
        .endsWith("weaklink\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ch               | check",
        "check --for      | --format",
        "check --format js | json",
        "check --color a  | auto,always",
        "check --loader b | btf-mismatch",
        "completion z     | zsh",
      })
  void commandsOptionsAndWordsAreCompleted(String line, String expected) throws Exception {
    String[] words = line.split(" ");

    String reply =
        bash(
            "compopt() { :; }; COMP_WORDS=(weaklink "
                + line
                + "); COMP_CWORD="
                + words.length
                + "; _complete_weaklink; printf '%s\\n' \"${COMPREPLY[@]}\"");

    assertThat(reply.lines().map(String::strip)).containsExactly(expected.split(","));
  }

  @Test
  void theScriptForZshIsTheSameBecauseItKnowsBoth() {
    Run bash = new Run(Samples.report());
    Run zsh = new Run(Samples.report());
    bash.with("completion", "bash");
    zsh.with("completion", "zsh");

    assertThat(zsh.out()).contains("bashcompinit").isEqualTo(bash.out());
  }

  private String bash(String command) throws IOException, InterruptedException {
    Run run = new Run(Samples.report());
    assertThat(run.with("completion", "bash")).isZero();
    Path script = directory.resolve("weaklink.bash");
    Files.writeString(script, run.out());
    Process process =
        new ProcessBuilder("bash", "-c", "source \"$1\"; " + command, "bash", script.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
