package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.Samples;
import dev.weaklink.sys.ShippedText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The messages about invalid command lines, and the ways to print help. */
class UsageTest {
    private final Run run = new Run(Samples.report(Samples.compatible("a")));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chek                        | there is no command 'chek'; did you mean 'check'? | ",
                "zfs                         | there is no command 'zfs'                       | ",
                "check --hlep                | Unknown option: '--hlep'; did you mean '--help'? | check",
                "--versoin                   | Unknown option: '--versoin'; did you mean '--version'? | ",
                "check --kernl 6.1           | Unknown option: '--kernl'; did you mean '--kernel'? | check",
                "store lst                   | unexpected argument 'lst'; did you mean 'list'? | store",
                "--foo                       | Unknown option: '--foo'                         | ",
                "check --foo                 | Unknown option: '--foo'                         | check",
                "check --kernel              | Missing required parameter for option '--kernel' (K) | check",
                "check --jobs 0              | --jobs takes a whole number, 1 or more, not '0'     | check",
                "check --jobs many           | --jobs takes a whole number, 1 or more, not 'many'  | check",
                "check --format xml          | --format takes table, json, ndjson, csv, markdown, junit, preflight; not 'xml'   | check",
                "check --color pink          | --color takes auto, always, never; not 'pink'   | check",
                "check --root /nonexistent/x | --root /nonexistent/x: no such directory        | check",
                "check --loader modversions  | --loader takes KEY=VALUE, not 'modversions'     | check",
                "check --loader modversions= | --loader takes KEY=VALUE, not 'modversions='    | check",
                "help nope                   | there is no command 'nope'                      | help",
                "store                       | no command given; there are list, add, prune, push and pull | store",
                "store prune --keep few      | --keep takes a number, not 'few'                | store prune",
                "store pull                  | Missing required parameter: 'LIBRARY'           | store pull",
                "inspect --bare              | Unknown option: '--bare'                        | inspect",
                "inspect --symvers --modules /x | --modules /x: no such directory              | inspect",
                "explain e1000e --to 6.1     | --from is missing: 'e1000e' is treated as a symbol, which needs two kernels; to explain a module, give its file, which 'modinfo -n NAME' prints | explain",
                "rules show                  | rules takes check, list, explain; not 'show'     | rules",
                "rules list a.yaml           | rules list takes no FILE                         | rules",
                "rules check --root / a.yaml | --root cannot be combined with FILE              | rules",
                "rules explain               | rules explain needs --module, --unit or --package | rules",
                "rules list --module a       | rules list takes no --module, --unit, --package or --kernel | rules",
                "rebuild --try --install     | --try takes no --install                         | rebuild",
                "rebuild --kernel k --install=kept | --kernel k: no such kernel in /lib/modules; give an installed release | rebuild",
                "rebuild --kernel k --install=kept --package zfs | --install=kept takes no --package | rebuild",
                "rebuild --kernel k --install=kept --root / | --install=kept takes no --root | rebuild",
                "rebuild --try --results /x zfs | --try takes no --results                      | rebuild",
                "rebuild --try --set A=B zfs | --try takes --set only with --bundle or --backend | rebuild",
                "rebuild --try --product zfs | --try takes no --package, and --product only with --bundle or --backend; to name DKMS packages: weaklink rebuild --try NAME[/VERSION]... | rebuild",
                "rebuild --try --bundle /x   | --try with --bundle or --backend needs --kernel: a release, a headers directory, or packages of headers | rebuild",
                "rebuild --try --backend command true | --try with --bundle or --backend needs --kernel: a release, a headers directory, or packages of headers | rebuild",
                "rebuild --try --source /x --kernel k zfs | --source cannot be combined with a DKMS package, --bundle or --backend | rebuild",
                "rebuild --try --source /x --kernel k --bundle /y | --source cannot be combined with a DKMS package, --bundle or --backend | rebuild",
                "completion tcsh             | no completion for 'tcsh'; choose bash, zsh, fish | completion",
            })
    void refusesNonsenseInTwoLinesWithStatus2(String line, String message, String command) {
        int status = run.with(line.split(" "));

        assertThat(run.err())
                .isEqualTo("weaklink: "
                        + message
                        + "\nTry: weaklink "
                        + (command == null ? "" : command + " ")
                        + "--help\n");
        assertThat(run.out()).isEmpty();
        assertThat(status).isEqualTo(2);
    }

    @Test
    void listsTheCommonOptionsFirstAndNamesTheRareOnes() {
        assertThat(run.with("check", "--help")).isZero();
        assertThat(run.out())
                .contains("'weaklink help check' prints all of weaklink-check(1). It also explains --units,")
                .doesNotContain("--loader=")
                .containsSubsequence("[MODULE...]  ", "--kernel=K  ", "--alone  ", "--root=DIR  ", "--help  ");
    }

    @ParameterizedTest
    @MethodSource("helpedCommands")
    void helpOptionPrintsWhatFitsOnAScreen(String name) {
        assertThat(run.with(name, "--help")).isZero();

        assertThat(run.out().lines()).hasSizeLessThanOrEqualTo(40);
    }

    static List<String> helpedCommands() {
        List<String> names = new ArrayList<>(CommandTree.NAMES);
        names.removeIf(CommandTree::isRaw);
        return names;
    }

    @ParameterizedTest
    @MethodSource("helpedCommands")
    void helpBreaksNoExampleAndNoCommandAndHangs(String name) {
        run.with("help", name);

        List<String> lines = run.out().lines().toList();
        List<String> examples = new ArrayList<>();
        for (String example : CommandText.of(name).section(CommandText.EXAMPLES).keySet()) {
            examples.add("  " + example);
        }
        assertThat(lines).containsAll(examples);
        assertThat(lines)
                .filteredOn(line -> line.length() > HelpText.WIDTH)
                .allMatch(line -> line.startsWith("  ") && line.indexOf("  ", 2) < 0);
        int footer = lines.indexOf("Exit status:");
        assertThat(lines.subList(0, footer)).noneMatch(line -> line.matches(".*\\w-|.* '?weaklink|.* --[a-z-]+"));
        assertThat(lines.subList(footer + 1, lines.size()))
                .allMatch(line -> line.isEmpty() || line.startsWith("  ") || line.matches("[A-Z].*:"));
    }

    static List<CommandSpec> everySpec() {
        List<CommandSpec> specs = new ArrayList<>(List.of(CommandTree.whole().getCommandSpec()));
        for (int i = 0; i < specs.size(); i++) {
            specs.get(i).subcommands().values().forEach(below -> specs.add(below.getCommandSpec()));
        }
        return specs;
    }

    @ParameterizedTest
    @MethodSource("everySpec")
    void helpListsExactlyTheAcceptedOptions(CommandSpec spec) {
        List<String> taken = new ArrayList<>();
        for (ArgSpec argument : spec.args()) {
            assertThat(String.join("", argument.description()))
                    .as(argument.toString())
                    .isNotEmpty();
            taken.add(argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel());
        }
        String name = spec.qualifiedName("-");
        String file = "/help/" + name.substring(name.indexOf('-') + 1) + ".txt";
        String[] parts = ShippedText.of(file).split("\nOPTIONS\n|\nEXIT STATUS\n");

        List<String> explained = parts.length < 3 ? List.of() : parts[1].lines().toList();
        assertThat(explained)
                .filteredOn(line -> !line.isEmpty() && !line.startsWith(" ") && !line.equals("MORE OPTIONS"))
                .isSubsetOf(taken);
    }

    @Test
    void argumentsCannotControlTheTerminal() {
        run.with("check\u001b[2J");

        assertThat(run.err()).isEqualTo("weaklink: there is no command 'check\\x1b[2J'\nTry: weaklink --help\n");
    }

    @ParameterizedTest
    @CsvSource({"--help", "-h", "help"})
    void helpNamesEveryCommand(String argument) {
        assertThat(run.with(argument)).isZero();

        List<String> names = new ArrayList<>(CommandTree.NAMES);
        names.removeIf(CommandTree::isRaw);
        assertThat(run.out()).contains(names);
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"check", "inspect", "store", "store add", "rules", "completion", "help"})
    void helpCommandPrintsTheWholeManual(String command) {
        Run brief = new Run(Samples.report());

        assertThat(run.with(("help " + command).split(" "))).isZero();
        assertThat(brief.with((command + " --help").split(" "))).isZero();

        assertThat(run.out()).startsWith(brief.out().lines().findFirst().orElseThrow());
        assertThat(run.out()).contains("\nExit status:\n", "--debug  ");
        assertThat(brief.out()).contains("'weaklink help " + command + "' ");
    }

    @ParameterizedTest
    @CsvSource({"--version", "-V", "--version --debug", "version"})
    void printsTheVersionOfTheBuild(String line) throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));
        String version = pom.substring(pom.indexOf("<version>") + 9, pom.indexOf("</version>"));

        assertThat(run.with(line.split(" "))).isZero();

        // Classes outside of the jar have no manifest, so the version has no commit.
        String java = System.getProperty("java.runtime.version");
        assertThat(run.out()).isEqualTo("weaklink " + version + " (Java " + java + ")\n");
    }

    /** A user who knows these options from one command can use them with every command that prints a result. */
    @Test
    void acceptsTheSameOptionsInAllCommandsThatPrint() {
        Map<String, CommandLine> commands = CommandTree.whole().getSubcommands();
        List<String> documents =
                List.of("check", "plan", "apply", "hold", "status", "history", "explain", "diff", "inspect", "audit");
        for (String name : documents) {
            assertThat(commands.get(name).getCommandSpec().optionsMap())
                    .as(name)
                    .containsKeys("--format", "-o", "--output", "-q", "--quiet", "--root");
        }
        for (String name : List.of("rebuild", "undo", "repair", "rules", "inventory")) {
            assertThat(commands.get(name).getCommandSpec().optionsMap())
                    .as(name)
                    .containsKeys("-q", "--quiet", "--root");
        }
        for (CommandLine store : commands.get("store").getSubcommands().values()) {
            assertThat(store.getCommandSpec().optionsMap()).containsKeys("-q", "--root");
        }
    }
}
