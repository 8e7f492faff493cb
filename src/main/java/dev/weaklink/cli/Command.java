package dev.weaklink.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** A subcommand: its options and its action. {@link CommandText} reads the text of its manual page. */
interface Command {
    /**
     * Declares options and operands. Commands call picocli's builders, because the reflection of annotations would slow
     * down start-up.
     *
     * @param spec a new specification without a name
     */
    default void declare(CommandSpec spec) {}

    default CommandSpec spec() {
        CommandSpec spec = Options.newSpec();
        declare(spec);
        if (commands().isEmpty()) {
            spec.addOption(Options.flag("-q", Options.QUIET));
        }
        Options.addCommon(spec);
        return spec;
    }

    default Map<String, Command> commands() {
        return Map.of();
    }

    /**
     * Runs the command.
     *
     * @param parsed the parsed arguments, valid for {@link #spec()}
     * @return the exit status
     * @throws UsageException if the arguments are valid for picocli but not for the command
     * @throws IOException if an input cannot be read or the result cannot be written
     */
    default int run(ParseResult parsed, Console console) throws IOException {
        List<String> names = List.copyOf(commands().keySet());
        String others = String.join(", ", names.subList(0, names.size() - 1));
        String all = (others.isEmpty() ? "is " : "are " + others + " and ") + names.get(names.size() - 1);
        throw new UsageException("no command given; there " + all);
    }

    /** A command that parses its arguments itself; its declared options are only for manuals. */
    interface RawCommand extends Command {
        int run(List<String> words, Console console) throws IOException;

        @Override
        default CommandSpec spec() {
            CommandSpec spec = Options.newSpec();
            declare(spec);
            return spec;
        }

        @Override
        default int run(ParseResult parsed, Console console) throws IOException {
            return run(parsed.originalArgs(), console);
        }
    }
}
