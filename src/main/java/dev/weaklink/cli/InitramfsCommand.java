package dev.weaklink.cli;

import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink initramfs}: what an initramfs holds. */
final class InitramfsCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    spec.usageMessage()
        .header("Check the modules in an initramfs.")
        .description(
            "Reads the image a kernel boots with: the modules in it are loaded, whatever is"
                + " installed. Nothing is changed.")
        .exitCodeList(Options.plainExitCodes("it was shown"));
  }

  @Override
  public Map<String, Command> commands() {
    return Map.of("check", new InitramfsCheckCommand());
  }

  @Override
  public Manual manual() {
    return new Manual(
        new Entry(
            "weaklink initramfs check",
            "Whether the newest kernel's initramfs holds the modules that are installed."));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) {
    throw new UsageException("no command given; there is check");
  }
}
