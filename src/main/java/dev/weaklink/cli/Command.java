package dev.weaklink.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** A subcommand: what it accepts, and what it does. {@link CommandText} is its manual. */
interface Command {
    /**
     * Says what it accepts. By calls and not by annotations, whose reflection costs start-up.
     *
     * @param spec a new one without a name
     */
    default void declare(CommandSpec spec) {}

    /** What it accepts, and what all commands do. */
    default CommandSpec spec() {
        CommandSpec spec = CommandSpec.create();
        declare(spec);
        if (commands().isEmpty()) {
            spec.addOption(Options.flag("-q", Options.QUIET));
        }
        Options.addCommon(spec);
        return spec;
    }

    /** Commands of its own by name, in the order of its help; most have none. */
    default Map<String, Command> commands() {
        return Map.of();
    }

    /**
     * Does it; what has commands of its own may do nothing without them.
     *
     * @param parsed what was typed, valid for {@link #spec()}
     * @return the exit status
     * @throws UsageException if the command line turns out to be invalid
     * @throws IOException if the result cannot be written
     */
    default int run(ParseResult parsed, Console console) throws IOException {
        List<String> names = List.copyOf(commands().keySet());
        String others = String.join(", ", names.subList(0, names.size() - 1));
        String all = (others.isEmpty() ? "is " : "are " + others + " and ") + names.get(names.size() - 1);
        throw new UsageException("no command given; there " + all);
    }

    /** A command that reads its words itself; what it declares is for manuals only. */
    interface RawCommand extends Command {
        /**
         * Does what the words say.
         *
         * @param words what was typed behind the command's name
         * @return the exit status
         * @throws IOException if the result cannot be written
         */
        int run(List<String> words, Console console) throws IOException;

        /** Without what all others do. */
        @Override
        default CommandSpec spec() {
            CommandSpec spec = CommandSpec.create();
            declare(spec);
            return spec;
        }

        @Override
        default int run(ParseResult parsed, Console console) throws IOException {
            return run(parsed.originalArgs(), console);
        }
    }
}
