package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.Checker;
import dev.weaklink.check.RefusalExplainer;
import dev.weaklink.check.SingleModule;
import dev.weaklink.cli.WeakModulesCommand.WeakModules2Command;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.sys.Similar;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The list of all commands. Creates a command only when the command is requested. */
final class CommandTree {
    static final String NAME = "weaklink";
    static final String VERSION = "--version";

    static final List<Group> GROUPS = List.of(
            new Group("Before a reboot", "check", "plan", "apply", "rebuild", "hold"),
            new Group("Current state", "status", "history", "undo", "repair"),
            new Group("Why", "explain", "diff", "inspect"),
            new Group("Builds and kernels", "matrix", "store"),
            new Group("Cluster", "inventory", "audit"),
            new Group("Other", "rules", "completion", "version", "help"));

    /**
     * The commands that replace scripts of distributions. Help does not list them, because callers of the scripts know
     * them.
     */
    private static final List<String> DIALECTS = List.of("weak-modules", "weak-modules2");

    static final List<String> NAMES = names();

    record Group(String title, List<String> names) {
        private Group(String title, String... names) {
            this(title, List.of(names));
        }
    }

    private static List<String> names() {
        List<String> names = new ArrayList<>();
        GROUPS.forEach(group -> names.addAll(group.names()));
        names.addAll(DIALECTS);
        return List.copyOf(names);
    }

    private static final int LONGEST_OPTION = 28;

    /**
     * The source of the causes of changed CRCs. A method reference instead of the lambda would load RefusalExplainer
     * for every command.
     */
    private static final CauseSource CAUSES =
            (root, store, target, reading) -> new RefusalExplainer(root, store, target, reading);

    private CommandTree() {}

    static Command command(String name) {
        return command(name, TransactionSettings.DEFAULT);
    }

    static Command command(String name, TransactionSettings transactions) {
        return switch (name) {
            case "check" -> new CheckCommand(Checker::check, new InUseCheck(CAUSES), new LibraryCheck(), CAUSES);
            case "matrix" -> new MatrixCommand(CAUSES);
            case "inspect" -> new InspectCommand(SingleModule::read, new ImageInspection());
            case "inventory" -> new InventoryCommand();
            case "audit" -> new AuditCommand(CAUSES);
            case "diff" -> DiffCommand.diff();
            case "explain" -> DiffCommand.explain();
            case "store" -> new StoreCommand();
            case "plan" -> new PlanCommand(CAUSES);
            case "apply" -> new ApplyCommand(transactions, CAUSES);
            case "repair" -> new RepairCommand(transactions);
            case "status" -> new StatusCommand();
            case "undo" -> new UndoCommand(transactions);
            case "history" -> new HistoryCommand();
            case "rebuild" -> new RebuildCommand(transactions, CAUSES);
            case "weak-modules" -> new WeakModulesCommand(transactions);
            case "weak-modules2" -> new WeakModules2Command(transactions);
            case "hold" -> new HoldCommand();
            case "rules" -> new RulesCommand();
            case "completion" -> new CompletionCommand();
            case "version" -> new VersionCommand();
            case "help" -> new HelpCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }

    static String noCommand(String name) {
        return "there is no command '" + name + "'" + Similar.question(name, NAMES);
    }

    static boolean isRaw(String name) {
        return DIALECTS.contains(name);
    }

    static CommandLine whole() {
        CommandLine whole = with(NAMES);
        describe(whole.getCommandSpec());
        return whole;
    }

    static void describe(CommandSpec spec) {
        if (spec.usageMessage().header().length == 0) {
            CommandText.of(spec).addTo(spec);
            spec.subcommands().values().forEach(below -> describe(below.getCommandSpec()));
        }
    }

    /** Returns the top level with only this command, which is much cheaper to build than all commands. */
    static CommandLine only(String name) {
        return with(List.of(name));
    }

    private static CommandLine with(List<String> names) {
        CommandSpec top = Options.newSpec().name(NAME);
        top.addOption(Options.flag("-V", VERSION));
        Options.addCommon(top);
        for (String name : names) {
            top.addSubcommand(name, line(spec(command(name))));
        }
        CommandLine line = line(top);
        line.setExpandAtFiles(false);
        line.setInterpolateVariables(false);
        line.setUsageHelpWidth(HelpText.WIDTH);
        line.setUsageHelpLongOptionsMaxWidth(LONGEST_OPTION);
        return line;
    }

    private static CommandLine line(CommandSpec spec) {
        return new CommandLine(spec, Options.FACTORY);
    }

    private static CommandSpec spec(Command command) {
        CommandSpec spec = command.spec();
        command.commands().forEach((name, below) -> spec.addSubcommand(name, line(spec(below))));
        return spec;
    }
}
