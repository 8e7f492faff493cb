package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink completion}: a script that completes command lines in a shell. */
final class CompletionCommand implements Command {
  private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  @Override
  public void declare(CommandSpec spec) {
    spec.usageMessage()
        .header("Print a script that completes command lines.")
        .description(
            "Prints a script that completes weaklink's command lines in a shell: commands, options and"
                + " their values, such as installed kernels, out-of-tree modules, transactions"
                + " and products. It looks at directories of the root and starts no JVM.")
        .exitCodeList(Options.plainExitCodes("the script was printed"));
    spec.addPositional(Options.action(SHELLS, "The shell."));
  }

  @Override
  public Manual manual() {
    return new Manual(
        new Entry("source <(weaklink completion bash)", "Completion in this shell."),
        new Entry(
            "weaklink completion bash > /usr/share/bash-completion/completions/weaklink",
            "Completion in every bash."),
        new Entry("weaklink completion fish | source", "Completion in this fish."));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    String shell = parsed.matchedPositionalValue(0, "");
    if (!SHELLS.contains(shell)) {
      throw new UsageException(
          "there is completion for " + String.join(", ", SHELLS) + "; not for '" + shell + "'");
    }
    console.print(CompletionScript.of(shell));
    return ExitCode.COMPATIBLE.number();
  }
}
