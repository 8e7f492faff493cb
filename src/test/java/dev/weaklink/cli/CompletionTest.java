package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.Samples;
import dev.weaklink.cli.CompletionCommand.CompletionScript;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** The completion scripts in real shells. Some names in the root are made to do harm. */
@Tag("slow")
class CompletionTest {
    /** The labels of values that nothing can list. */
    private static final Set<String> FREE = Set.of(
            "ID|NODE",
            "I/N",
            "KEY=VALUE",
            "MINUTES",
            "N",
            "NAME",
            "NAME=VALUE",
            "NVR",
            "SYMBOL",
            "NODES",
            "TIME",
            "WHICH",
            "WORD");

    /** A bash script that prints compopt's arguments and the completions of a line. */
    private static final String IN_BASH = """
      source "$1"; cd "$2"
      compopt() { echo "$*"; }
      eval "COMP_WORDS=(weaklink $3)"
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _weaklink
      ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
      """;

    /** A zsh script that types a line and a tab, and prints the resulting line. */
    private static final String IN_ZSH = """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1= PROMPT_EOL_MARK=; autoload -Uz compinit; compinit -D -u"
      zpty -w shell "source ${(q)1}; cd ${(q)2}"
      zpty -w shell 'show() { print -r -- "<<$BUFFER>>"; exit }; zle -N show'
      zpty -w shell "bindkey '^X' show; print rea''dy"
      zpty -r -m shell seen '*ready*'
      zpty -w -n shell "weaklink $3"$'\\t\\x18'
      zpty -r -m shell seen '*<<*>>*'
      print -r -- ${${seen##*<<}%%>>*}
      """;

    private static final String IN_FISH = """
      source $argv[1]; cd $argv[2]
      complete -C "weaklink $argv[3]"
      """;

    @TempDir
    private Path directory;

    private Path root;

    @BeforeEach
    void makeRoot() throws IOException {
        root = directory.resolve("root");
        for (String name : List.of(
                "lib/modules/6.1.0-1-amd64/extra/foo",
                "lib/modules/5.14.0-2.el9.x86_64",
                "lib/modules/$(touch harm)",
                "lib/modules/`touch harm`",
                "lib/modules/a;touch harm",
                "lib/modules/a\ntouch harm",
                "lib/modules/--kernel",
                "var/lib/weaklink/transactions/17",
                "var/lib/weaklink/rebuilds/6.1.0-1-amd64/3",
                "var/lib/weaklink/rebuilds/5.14.0-2.el9.x86_64/4",
                "var/lib/dkms/zfs",
                "var/lib/weaklink/kernels",
                "etc/weaklink",
                "here")) {
            Files.createDirectories(root.resolve(name));
        }
        Path extra = root.resolve("lib/modules/6.1.0-1-amd64/extra");
        Files.createFile(extra.resolve("foo/foo-core.ko.xz"));
        Files.createFile(extra.resolve("foo/`touch harm`.ko"));
        Files.createFile(extra.resolve("foo/foo.konfig"));
        Files.createFile(root.resolve("var/lib/weaklink/kernels/4.18.0-9@12.kernel.zip"));
        Files.createFile(root.resolve("here/a b.ko"));
        Files.writeString(root.resolve("etc/weaklink/own.yaml"), "products:\n  - id: lustre\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ch                            | check",
                "undo --dr                     | --dry-run",
                "check --for                   | --format",
                "check --format js             | json",
                "check --format=js             | json",
                "check -v --color a            | always,auto",
                "check --loader btf-mismatch=r | refuse",
                "completion z                  | zsh",
                "explain symbol.crc-m          | -o filenames,symbol.crc-mismatch",
                "help insp                     | inspect",
                "status --kernel ''            | 5.14.0-2.el9.x86_64,6.1.0-1-amd64",
                "diff ''                       | -o filenames,4.18.0-9,5.14.0-2.el9.x86_64,6.1.0-1-amd64,a b.ko",
                "diff 5.14.0-2.el9.x86_64 6    | -o filenames,6.1.0-1-amd64",
                "check extra                   | -o filenames,extra/foo",
                "check x.ko foo                | -o filenames,foo_core",
                "check --alone /nowhere/       | -o default",
                "check -- --f                  | -o default",
                "plan --kernel=5               | 5.14.0-2.el9.x86_64",
                "plan --output ''              | -o default",
                "plan --cert=''                | -o default",
                "rebuild --work ''             | -o dirnames",
                "undo ''                       | 17",
                "store prune ''                | 4.18.0-9",
                "rebuild --install ''          | 3,4",
                "rebuild --kernel 6.1.0-1-amd64 --install '' | 3",
                "rebuild --install --dry       | --dry-run",
                "rebuild --product z           | zfs",
                "rebuild --product l           | lustre",
                "rebuild --product doca        | doca-ofed",
                "rules explain --unit ''       | extra/foo,zfs",
            })
    void bashCompletes(String line, String expected) throws Exception {
        String replies = completed("bash", IN_BASH, withRoot(line).replace("=", " = "));

        assertThat(replies.lines().sorted()).containsExactly(expected.split(","));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ch                  | check",
                "check --for         | --format",
                "check --format js   | json",
                "check --format=js   | --format=json",
                "status --kernel 6   | 6.1.0-1-amd64",
                "check --kernel=6    | --kernel=6.1.0-1-amd64",
                "check foo           | foo_core",
                "check a             | a\\ b.ko",
                "check --cert=a      | --cert=a\\ b.ko",
                "undo 1              | 17",
                "rebuild --product z | zfs",
            })
    void zshCompletes(String line, String expected) throws Exception {
        String typed = withRoot(line);

        String seen = completed("zsh", IN_ZSH, typed);

        String before = typed.substring(0, typed.lastIndexOf(' ') + 1);
        assertThat(seen.strip()).isEqualTo("weaklink " + before + expected);
    }

    /** Packages install the script in this way. */
    @Test
    void zshFindsItInItsPath() throws Exception {
        String installed = IN_ZSH.replace("autoload -Uz comp", "fpath=(${(q)1:h} \\$fpath); autoload -Uz comp")
                .replace("source ${(q)1}; ", "");

        assertThat(completed("zsh", installed, "ch").strip()).isEqualTo("weaklink check");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ch                  | check",
                "check --for         | --format",
                "check --format js   | json",
                "check --format=js   | --format=json",
                "check --kernel ''   | 4.18.0-9,5.14.0-2.el9.x86_64,6.1.0-1-amd64,a b.ko",
                "check --kernel=6    | --kernel=6.1.0-1-amd64",
                "check --cert=a      | --cert=a b.ko",
                "check fo            | foo_core",
                "undo ''             | 17",
                "rebuild --product z | zfs",
            })
    void fishCompletes(String line, String expected) throws Exception {
        String seen = completed("fish", IN_FISH, withRoot(line).replace("''", ""));

        assertThat(seen.lines().map(each -> each.replaceFirst("\t.*", "")).sorted())
                .containsExactly(expected.split(","));
    }

    @ParameterizedTest
    @ValueSource(strings = {"dash", "busybox", "ksh", "mksh", "bash"})
    void runsInEverySh(String shell) throws Exception {
        ExternalTool sh = ExternalTool.orSkip(shell);
        List<String> words = new ArrayList<>(List.of("-c", scriptForSh(), "sh", "plan", "--root"));
        words.addAll(List.of(root.toString(), "--kernel", "6"));
        if (shell.equals("busybox")) {
            words.add(0, "sh");
        }

        assertThat(sh.run(words.toArray(new String[0]))).isEqualTo("6.1.0-1-amd64\t\n");
    }

    @Test
    void shellcheckHasNothingAgainstIt() throws Exception {
        Path script = Files.writeString(directory.resolve("complete.sh"), scriptForSh());

        assertThat(ExternalTool.orSkip("shellcheck").run("-s", "sh", script.toString()))
                .isEmpty();
    }

    private static String scriptForSh() throws IOException {
        String script = CompletionScript.of("zsh");
        int start = script.indexOf("\n", script.indexOf("END_OF_SCRIPT"));
        return script.substring(start, script.indexOf("END_OF_SCRIPT\n", start));
    }

    /** A forgotten label would complete nothing, and nobody would notice. */
    @Test
    void completesEveryValueOrAcceptsAny() throws Exception {
        Set<String> labels = new TreeSet<>();
        addLabels(CommandTree.whole().getCommandSpec(), labels);
        String values = CompletionScript.of("bash").replace("'", "");

        labels.removeAll(FREE);
        assertThat(labels)
                .allMatch(label -> Pattern.compile("(?m)^    (.* [|] )?" + Pattern.quote(label) + "( [|] .*)?[)] ")
                        .matcher(values)
                        .find());
    }

    private static void addLabels(CommandSpec spec, Set<String> labels) {
        for (ArgSpec argument : spec.args()) {
            Iterable<String> words = argument.completionCandidates();
            if (argument.arity().max() > 0
                    && (words == null || !words.iterator().hasNext())) {
                labels.add(argument.paramLabel());
            }
        }
        spec.subcommands().values().forEach(below -> addLabels(below.getCommandSpec(), labels));
    }

    /** Returns the line with {@code --root} after a command that accepts the option. */
    private String withRoot(String line) {
        return line.replaceFirst("^(store prune|[a-z]+) ", "$1 --root=" + root + " ");
    }

    private String completed(String shell, String how, String line) throws IOException {
        ExternalTool tool = ExternalTool.orSkip(shell);
        Path script = directory.resolve("_weaklink");
        Run run = new Run(Samples.report());
        assertThat(run.with("completion", shell)).isZero();
        Files.writeString(script, run.out());
        Path place = root.resolve("here");
        List<String> words = new ArrayList<>(List.of("-c", how));
        if (!shell.equals("fish")) {
            words.add(shell);
        } else {
            words.add(0, "--no-config");
        }
        words.addAll(List.of(script.toString(), place.toString(), line));

        String completed = tool.run(words.toArray(new String[0]));

        assertThat(place.resolve("harm")).doesNotExist();
        return completed;
    }
}
