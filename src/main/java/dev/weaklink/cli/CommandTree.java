package dev.weaklink.cli;

import dev.weaklink.sys.Similar;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** All commands by name. Only those that are asked for are built. */
final class CommandTree {
  static final String NAME = "weaklink";
  static final String VERSION = "--version";

  /** Commands by what they are for. */
  static final List<Group> GROUPS =
      List.of(
          new Group("Before a reboot", "check", "gate", "match", "initramfs", "verify"),
          new Group("Why", "diff", "explain", "findings"),
          new Group(
              "Links",
              "plan",
              "apply",
              "links",
              "undo",
              "history",
              "rules",
              "weak-modules",
              "weak-modules2"),
          new Group("Rebuild", "rebuild"),
          new Group("Cluster", "inventory", "audit"),
          new Group("Look inside", "inspect", "kernel", "store"),
          new Group("Other", "completion", "version", "help"));

  static final List<String> NAMES = names();

  /** Commands that belong together. */
  record Group(String title, List<String> names) {
    private Group(String title, String... names) {
      this(title, List.of(names));
    }
  }

  private static List<String> names() {
    List<String> names = new ArrayList<>();
    GROUPS.forEach(group -> names.addAll(group.names()));
    return List.copyOf(names);
  }

  /** What the manual of the whole says apart from options and commands. */
  static final Command.Manual MANUAL =
      new Command.Manual(
              new Command.Entry(
                  "weaklink check", "The out-of-tree modules of this system's newest kernel."))
          .environment(
              new Command.Entry("JAVA_HOME", "The Java to use. Default: the one in PATH."),
              new Command.Entry("WEAKLINK_JAVA_OPTS", "JVM options, such as -Xmx4g."));

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
      case "diff" -> DiffCommand.diff();
      case "explain" -> DiffCommand.explain();
      case "findings" -> new FindingsCommand();
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
      case "version" -> new VersionCommand();
      case "help" -> new HelpCommand();
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** That there is no command of this name, and which one may be meant. */
  static String noCommand(String name) {
    return "there is no command '" + name + "'" + Similar.question(name, NAMES);
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
            "weaklink checks whether kernel modules (.ko) will load on a given kernel, by the rules"
                + " of the kernel's own loader and without booting it. It keeps the weak-updates"
                + " links of modules that fit more kernels than the one they were built for, and"
                + " rebuilds those that do not.",
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
    line.setUsageHelpWidth(HelpText.WIDTH);
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
    HelpText.addEntries(footer, "Examples:", manual.examples());
    HelpText.addEntries(footer, "Files:", manual.files());
    HelpText.addEntries(footer, "Environment:", manual.environment());
    usage.footer(footer.toArray(new String[0]));
  }
}
