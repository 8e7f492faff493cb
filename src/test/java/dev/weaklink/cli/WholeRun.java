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
 * One run of the whole program, with nothing put in its place, and what came of it.
 *
 * @param status exit status
 * @param out standard output
 * @param err standard error
 */
record WholeRun(int status, String out, String err) {
    static WholeRun of(String... arguments) {
        return reading(new byte[0], arguments);
    }

    /** With this on standard input. */
    static WholeRun reading(byte[] stdin, String... arguments) {
        return reading(stdin, Map.of(), arguments);
    }

    /** With these variables in its environment and no others; never with a cache. */
    static WholeRun with(Map<String, String> environment, String... arguments) {
        return reading(new byte[0], environment, arguments);
    }

    /** With this on standard input, and these variables in the environment and no others; never with a cache. */
    static WholeRun reading(byte[] stdin, Map<String, String> environment, String... arguments) {
        return of(TransactionSettings.DEFAULT, stdin, environment, arguments);
    }

    /** The same, changing files in this way. */
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

    /** The same with {@code DIR} where a directory was named. */
    WholeRun at(Path directory) {
        return new WholeRun(status, out.replace(directory.toString(), "DIR"), err.replace(directory.toString(), "DIR"));
    }

    /** The messages on standard error, without the program's name. */
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
