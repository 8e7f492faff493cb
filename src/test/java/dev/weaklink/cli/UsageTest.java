package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.report.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said about command lines that make no sense, and where help is found. */
class UsageTest {
  private final Run run = new Run(Samples.report(Samples.compatible("a")));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                          | no command given                                | ",
        "chek                        | there is no command 'chek'                      | ",
        "--foo                       | Unknown option: '--foo'                         | ",
        "check --foo                 | Unknown option: '--foo'                         | check",
        "check --kernel              | Missing required parameter for option '--kernel' (K) | check",
        "check --jobs 0              | --jobs takes a number of 1 or more, not '0'     | check",
        "check --jobs many           | --jobs takes a number of 1 or more, not 'many'  | check",
        "check --format xml          | --format takes table, json, ndjson, csv, markdown, sarif, junit; not 'xml'   | check",
        "check --color pink          | --color takes auto, always, never; not 'pink'   | check",
        "check --root /nonexistent/x | --root /nonexistent/x: no such directory        | check",
        "check --loader modversions  | --loader takes KEY=VALUE, not 'modversions'     | check",
        "check --loader modversions= | --loader takes KEY=VALUE, not 'modversions='    | check",
        "help nope                   | there is no command 'nope'                      | help",
        "inspect                     | Missing required parameter: 'MODULE'            | inspect",
        "kernel                      | no command given; there are symvers and inspect | kernel",
        "store                       | no command given; there are list, add, export, import and prune | store",
        "store prune --keep few      | --keep takes a number, not 'few'                | store",
        "store import                | Missing required parameter: 'FILE'              | store",
        "kernel symvers --bare       | Unknown option: '--bare'                        | kernel",
        "kernel symvers --modules /x | --modules /x: no such directory                 | kernel",
        "rules show                  | rules takes check, list, explain; not 'show'     | rules",
        "rules list a.yaml           | rules list takes no FILE                         | rules",
        "rules check --root / a.yaml | --root is not for given FILEs                    | rules",
        "rules explain               | rules explain needs --module, --unit or --package | rules",
        "rules list --module a       | --module, --unit, --package and --kernel are not for rules list | rules",
        "completion fish             | there is completion for bash and zsh, not for 'fish' | completion",
      })
  void nonsenseIsTwoLinesAndStatus2(String line, String message, String command) {
    int status = run.with(line.isEmpty() ? new String[0] : line.split(" "));

    assertThat(run.err())
        .isEqualTo(
            "weaklink: "
                + message
                + "\nTry: weaklink "
                + (command == null ? "" : command + " ")
                + "--help\n");
    assertThat(run.out()).isEmpty();
    assertThat(status).isEqualTo(2);
  }

  @Test
  void anUnknownLoaderKeyIsAnsweredWithAllKeys() {
    int status = run.with("check", "--loader", "modversion=yes");

    assertThat(status).isEqualTo(2);
    for (LoaderRule rule : LoaderRule.values()) {
      assertThat(run.err()).contains(rule.key());
    }
  }

  @Test
  void whatWasTypedCannotControlTheTerminal() {
    run.with("check\u001b[2J");

    assertThat(run.err()).contains("'check\\x1b[2J'").doesNotContain("\u001b");
  }

  @ParameterizedTest
  @CsvSource({"--help", "-h", "help"})
  void helpNamesEveryCommand(String argument) {
    assertThat(run.with(argument)).isZero();

    assertThat(run.out()).contains("\nUsage: weaklink ").contains(CommandTree.NAMES);
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"check", "inspect", "kernel", "store", "rules", "completion", "help"})
  void helpOfACommandIsTheSameBothWays(String command) {
    Run other = new Run(Samples.report());

    assertThat(run.with("help", command)).isZero();
    assertThat(other.with(command, "--help")).isZero();

    assertThat(run.out()).contains("\nUsage: weaklink " + command + " ").isEqualTo(other.out());
  }

  @ParameterizedTest
  @CsvSource({"--version", "-V", "--version --debug"})
  void theVersionIsThatOfTheBuild(String line) throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    String version = pom.substring(pom.indexOf("<version>") + 9, pom.indexOf("</version>"));

    assertThat(run.with(line.split(" "))).isZero();

    assertThat(run.out()).isEqualTo("weaklink " + version + "\n");
  }
}
