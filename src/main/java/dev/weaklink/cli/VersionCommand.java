package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink version}: the same as {@code --version}. */
final class VersionCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    spec.usageMessage()
        .header("Print the version.")
        .description("Prints the versions of weaklink and Java, and the commit it was built from.")
        .exitCodeList(Options.plainExitCodes("the version was printed"));
  }

  @Override
  public Manual manual() {
    return new Manual(
        new Entry("weaklink version", "What to say when something is wrong with it."));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    console.print(Version.line());
    return ExitCode.COMPATIBLE.number();
  }
}
