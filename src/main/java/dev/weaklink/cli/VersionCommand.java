package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import java.io.IOException;
import picocli.CommandLine.ParseResult;

/** {@code weaklink version}: the same as {@code --version}. */
final class VersionCommand implements Command {
  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    console.print(Version.line());
    return ExitCode.COMPATIBLE.number();
  }
}
