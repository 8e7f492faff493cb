package dev.weaklink.cli;

import dev.weaklink.links.transaction.TransactionSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A run of the whole program, without stand-ins for its parts.
 *
 * @param status the exit status
 * @param out the standard output
 * @param err the standard error
 */
record WholeRun(int status, String out, String err) {
    static WholeRun of(String... arguments) {
        return reading(new byte[0], arguments);
    }

    /** Runs the program with this standard input. */
    static WholeRun reading(byte[] stdin, String... arguments) {
        return reading(stdin, Map.of(), arguments);
    }

    /** Runs the program with only these environment variables, and without a cache. */
    static WholeRun with(Map<String, String> environment, String... arguments) {
        return reading(new byte[0], environment, arguments);
    }

    /** Runs the program with this standard input and only these environment variables, and without a cache. */
    static WholeRun reading(byte[] stdin, Map<String, String> environment, String... arguments) {
        return of(TransactionSettings.DEFAULT, stdin, environment, arguments);
    }

    /** Runs the program as above, with these settings for changing files. */
    static WholeRun of(
            TransactionSettings transactions, byte[] stdin, Map<String, String> environment, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(stdin),
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                withoutCache(environment),
                new NoTerminal());
        int status = new Weaklink(console, name -> CommandTree.command(name, transactions)).run(arguments);
        return new WholeRun(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static Map<String, String> withoutCache(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("WEAKLINK_CACHE", "off");
        return all;
    }

    /** Returns the run with {@code DIR} in place of a directory's path. */
    WholeRun at(Path directory) {
        return new WholeRun(status, out.replace(directory.toString(), "DIR"), err.replace(directory.toString(), "DIR"));
    }

    /** Returns the messages on standard error, without the program's name. */
    List<String> messages() {
        return err.lines().map(line -> line.substring("weaklink: ".length())).toList();
    }

    private record NoTerminal() implements Terminal {
        @Override
        public boolean isTerminal(int fd) {
            return false;
        }

        @Override
        public int columns() {
            return DEFAULT_COLUMNS;
        }
    }
}
