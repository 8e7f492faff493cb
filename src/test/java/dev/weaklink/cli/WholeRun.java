package dev.weaklink.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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
    return run(stdin, Map.of(), arguments);
  }

  /** With these variables in its environment. */
  static WholeRun with(Map<String, String> environment, String... arguments) {
    return run(new byte[0], environment, arguments);
  }

  private static WholeRun run(byte[] stdin, Map<String, String> environment, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            new ByteArrayInputStream(stdin),
            out,
            new PrintStream(err, true, StandardCharsets.UTF_8),
            environment,
            new NoTerminal());
    int status = new Weaklink(console, new Wiring()).run(arguments);
    return new WholeRun(
        status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
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
