package dev.weaklink.cli;

import dev.weaklink.check.KernelRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink kernel}: what a kernel's image says. */
final class KernelCommand implements Command {
  private static final String KERNEL = "--kernel";

  /** What both commands take: a file, or an installed kernel. */
  static void addKernel(CommandSpec spec) {
    spec.addPositional(Options.operands("IMAGE"));
    spec.addOption(Options.value("RELEASE", KERNEL));
    Options.addRoot(spec);
  }

  static KernelRequest request(ParseResult parsed) {
    return new KernelRequest(
        Options.root(parsed), StoreCommand.names(parsed), Options.text(parsed, KERNEL));
  }

  @Override
  public Map<String, Command> commands() {
    Map<String, Command> commands = new LinkedHashMap<>();
    commands.put("symvers", new KernelSymversCommand());
    commands.put("inspect", new KernelInspectCommand());
    return commands;
  }
}
