package dev.weaklink.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** All commands by name. Only those that are asked for are built. */
final class CommandTree {
  static final String NAME = "weaklink";
  static final String VERSION = "--version";
  static final List<String> NAMES =
      List.of(
          "check",
          "match",
          "gate",
          "inventory",
          "audit",
          "inspect",
          "kernel",
          "store",
          "initramfs",
          "plan",
          "apply",
          "links",
          "undo",
          "history",
          "rebuild",
          "verify",
          "weak-modules",
          "weak-modules2",
          "rules",
          "completion",
          "help");

  /** What the manual of the whole says besides options and commands. */
  static final Command.Manual MANUAL =
      new Command.Manual(
          List.of(
              new Command.Entry(
                  "weaklink check", "The out-of-tree modules of this system's newest kernel.")),
          List.of(),
          List.of(
              new Command.Entry("JAVA_HOME", "The Java to use. Default: the one in PATH."),
              new Command.Entry(
                  "WEAKLINK_JAVA_OPTS", "Options for the Java machine, such as -Xmx4g.")));

  private static final int HELP_WIDTH = 80;
  private static final int LONGEST_OPTION = 28;

  private CommandTree() {}

  /** A new instance of the named command, which must be one of {@link #NAMES}. */
  static Command command(String name) {
    return switch (name) {
      case "check" -> new CheckCommand();
      case "inspect" -> new InspectCommand();
      case "match" -> new MatchCommand();
      case "gate" -> new GateCommand();
      case "inventory" -> new InventoryCommand();
      case "audit" -> new AuditCommand();
      case "kernel" -> new KernelCommand();
      case "store" -> new StoreCommand();
      case "initramfs" -> new InitramfsCommand();
      case "plan" -> new PlanCommand();
      case "apply" -> new ApplyCommand();
      case "links" -> new LinksCommand();
      case "undo" -> new UndoCommand();
      case "history" -> new HistoryCommand();
      case "rebuild" -> new RebuildCommand();
      case "verify" -> new VerifyCommand();
      case "weak-modules" -> new WeakModulesCommand();
      case "weak-modules2" -> new WeakModules2Command();
      case "rules" -> new RulesCommand();
      case "completion" -> new CompletionCommand();
      case "help" -> new HelpCommand();
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Whether the named command reads its words itself. */
  static boolean isRaw(String name) {
    return name.startsWith("weak-modules");
  }

  /** The top level with all commands. */
  static CommandLine whole() {
    return with(NAMES);
  }

  /** The top level with this one command, which is much cheaper to build than with all. */
  static CommandLine only(String name) {
    return with(List.of(name));
  }

  private static CommandLine with(List<String> names) {
    CommandSpec top = CommandSpec.create().name(NAME);
    top.usageMessage()
        .header("Say whether a Linux kernel would load your modules, and why not.")
        .description(
            "A module is a list of demands, and a kernel with the modules that would be loaded on"
                + " it is a list of offers. weaklink compares the two as the kernel's loader does,"
                + " without booting anything, and keeps the weak-updates links of modules that"
                + " fit more kernels than the one they were built for.",
            "'weaklink help COMMAND' shows what a command takes.")
        .exitCodeList(Options.exitCodes());
    addManual(top.usageMessage(), MANUAL);
    top.addOption(Options.flag("Print the version.", "-V", VERSION));
    Options.addCommon(top);
    for (String name : names) {
      top.addSubcommand(name, spec(command(name)));
    }
    CommandLine line = new CommandLine(top);
    line.setExpandAtFiles(false);
    line.setInterpolateVariables(false);
    line.setUsageHelpWidth(HELP_WIDTH);
    line.setUsageHelpLongOptionsMaxWidth(LONGEST_OPTION);
    return line;
  }

  private static CommandSpec spec(Command command) {
    CommandSpec spec = command.spec();
    addManual(spec.usageMessage(), command.manual());
    command.commands().forEach((name, below) -> spec.addSubcommand(name, spec(below)));
    return spec;
  }

  private static void addManual(UsageMessageSpec usage, Command.Manual manual) {
    usage.exitCodeListHeading("%nExit status:%n");
    List<String> footer = new ArrayList<>();
    addEntries(footer, "Examples:", manual.examples());
    addEntries(footer, "Files:", manual.files());
    addEntries(footer, "Environment:", manual.environment());
    usage.footer(footer.toArray(new String[0]));
  }

  private static void addEntries(List<String> footer, String heading, List<Command.Entry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    footer.add("");
    footer.add(heading);
    for (Command.Entry entry : entries) {
      footer.add("  " + entry.term());
      footer.add("      " + entry.text());
    }
  }

  /** Writes a command's help, without colours. */
  static void writeUsage(CommandLine command, OutputStream out) throws IOException {
    out.write(command.getUsageMessage(Ansi.OFF).getBytes(StandardCharsets.UTF_8));
  }
}
