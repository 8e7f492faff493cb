package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.cli.Command.RawCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Similar;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The program: runs a command line, reports errors, and returns the exit status. Only the nested {@code Dispatch} uses
 * picocli, so that {@code --version} need not load picocli.
 */
final class Weaklink {
    private static final Set<String> CHANGING =
            Set.of("apply", "hold", "rebuild", "repair", "store", "undo", "weak-modules", "weak-modules2");

    private final Console console;
    private final Function<String, Command> commands;

    Weaklink(Console console) {
        this(console, name -> CommandTree.command(name));
    }

    Weaklink(Console console, Function<String, Command> commands) {
        this.console = console;
        this.commands = commands;
    }

    int run(String... arguments) {
        try {
            int status = isVersion(arguments) ? version() : new Dispatch(console, commands).run(arguments);
            console.out().flush();
            return status;
        } catch (UnreadableException e) {
            console.message(String.valueOf(e.getMessage()));
        } catch (FileSystemException e) {
            console.message(e.getFile() + ": " + IoReason.of(e) + next(e, arguments));
        } catch (IOException e) {
            console.message("cannot write the result: " + e.getMessage());
        } catch (OutOfMemoryError e) {
            console.message("out of memory; give the JVM more with WEAKLINK_JAVA_OPTS=-Xmx4g");
            return broken(arguments);
        } catch (RuntimeException | VirtualMachineError | LinkageError | AssertionError e) {
            bug(e, arguments);
            return broken(arguments);
        }
        return ExitCode.UNUSABLE.number();
    }

    /** Reports a file system that does not answer, and returns the exit status. */
    int stalled(Path file, int seconds, String... arguments) {
        console.message(file + ": its file system has not answered for " + seconds
                + " seconds; check the file server, then run the command again");
        return broken(arguments);
    }

    /**
     * Returns the exit status after an unforeseen error. A command that changes files has its own status, because it
     * may have changed some files.
     */
    private static int broken(String... arguments) {
        return (changes(arguments) ? ExitCode.BROKEN : ExitCode.UNUSABLE).number();
    }

    /** Returns whether the command may change files or run builds. */
    static boolean changes(String... arguments) {
        return arguments.length > 0 && CHANGING.contains(arguments[0]);
    }

    private static String next(FileSystemException e, String... arguments) {
        return e instanceof AccessDeniedException && changes(arguments) ? "; run weaklink as root" : "";
    }

    private static boolean isVersion(String[] arguments) {
        for (String argument : arguments) {
            if (argument.equals("--version") || argument.equals("-V")) {
                return true;
            }
            if (!argument.startsWith("-")) {
                return false;
            }
        }
        return false;
    }

    private int version() throws IOException {
        console.print(VersionCommand.line());
        return ExitCode.COMPATIBLE.number();
    }

    private void bug(Throwable bug, String[] arguments) {
        boolean debug = false;
        for (String argument : arguments) {
            debug |= argument.equals("--debug");
        }
        console.message(
                "internal error: " + bug + (debug ? "" : "; run the command with --debug and report its output"));
        if (debug) {
            bug.printStackTrace(console.err());
        }
    }

    private static final class Dispatch {
        private final Console console;
        private final Function<String, Command> commands;

        Dispatch(Console console, Function<String, Command> commands) {
            this.console = console;
            this.commands = commands;
        }

        int run(String[] arguments) throws IOException {
            if (arguments.length == 0) {
                HelpText.writeGroups(CommandTree.whole(), console.out());
                return ExitCode.UNUSABLE.number();
            }
            String word = arguments[0];
            boolean isOption = word.startsWith("-");
            if (!isOption && !CommandTree.NAMES.contains(word)) {
                return misused(CommandTree.noCommand(word), null);
            }
            String name = isOption ? null : word;
            if (name != null && CommandTree.isRaw(name)) {
                List<String> words = List.of(arguments).subList(1, arguments.length);
                return ((RawCommand) commands.apply(name)).run(words, console);
            }
            try {
                return execute(name == null ? CommandTree.whole() : CommandTree.only(name), arguments);
            } catch (MovedException e) {
                return moved(e);
            } catch (UnmatchedArgumentException e) {
                String option = e.getUnmatched().get(0).split("=", 2)[0];
                if (word.equals("check") && MatrixCommand.ONCE_OF_CHECK.contains(option)) {
                    return moved(new MovedException(option, option + " BUILD..."));
                }
                String message = e.isUnknownOption()
                        ? firstLine(String.valueOf(e.getMessage()))
                        : "unexpected argument '" + e.getUnmatched().get(0) + "'";
                return misused(message + meant(e), named(arguments));
            } catch (UsageException | ParameterException e) {
                return misused(firstLine(String.valueOf(e.getMessage())), named(arguments));
            }
        }

        /**
         * Returns the command that the arguments name, with its subcommand, if any; null if the first argument is an
         * option.
         */
        private @Nullable String named(String[] arguments) {
            String name = arguments[0];
            if (name.startsWith("-")) {
                return null;
            }
            boolean isSub =
                    arguments.length > 1 && commands.apply(name).commands().containsKey(arguments[1]);
            return isSub ? name + " " + arguments[1] : name;
        }

        private int execute(CommandLine line, String[] arguments) throws IOException {
            ParseResult top = line.parseArgs(arguments);
            ParseResult parsed = top;
            Command command = null;
            boolean help = top.isUsageHelpRequested();
            while (parsed.hasSubcommand()) {
                parsed = parsed.subcommand();
                String name = parsed.commandSpec().name();
                command = command == null
                        ? commands.apply(name)
                        : command.commands().get(name);
                help |= parsed.isUsageHelpRequested();
            }
            if (help) {
                HelpText.write(parsed.commandSpec().commandLine(), console.out());
                return ExitCode.COMPATIBLE.number();
            }
            if (command == null) {
                throw new UsageException("no command given");
            }
            return command.run(parsed, Options.isSet(parsed, Options.QUIET) ? console.quiet() : console);
        }

        private int moved(MovedException e) {
            console.message(String.valueOf(e.getMessage()));
            return ExitCode.UNUSABLE.number();
        }

        private int misused(String message, @Nullable String command) {
            console.message(message);
            console.hint("Try: " + CommandTree.NAME + (command == null ? "" : " " + command) + " --help");
            return ExitCode.UNUSABLE.number();
        }

        private static String meant(UnmatchedArgumentException e) {
            Set<String> names = new LinkedHashSet<>(e.getSuggestions());
            names.addAll(e.getCommandLine().getCommandSpec().optionsMap().keySet());
            return Similar.question(e.getUnmatched().get(0), names);
        }

        private static String firstLine(String message) {
            int end = message.indexOf('\n');
            return end < 0 ? message : message.substring(0, end).stripTrailing();
        }
    }
}
