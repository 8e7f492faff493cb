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
    spec.addPositional(Options.action(SHELLS));
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    String shell = parsed.matchedPositionalValue(0, "");
    if (!SHELLS.contains(shell)) {
      throw new UsageException(
          "there is completion for " + String.join(", ", SHELLS) + "; not for '" + shell + "'");
    }
    console.print(CompletionScript.of(shell));
    return ExitCode.COMPATIBLE.number();
  }
}
