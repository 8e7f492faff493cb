package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.format.codec.UnreadableFileException;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.function.Function;

/**
 * The program: runs a command line and turns what goes wrong into one line. It keeps clear of
 * picocli, so that {@code --version} need not load it.
 */
final class Weaklink {
  private final Console console;
  private final Function<String, Command> commands;

  Weaklink(Console console) {
    this(console, name -> CommandTree.command(name));
  }

  /** With other commands than the program's. */
  Weaklink(Console console, Function<String, Command> commands) {
    this.console = console;
    this.commands = commands;
  }

  /** Runs a command line and returns the exit status; throws nothing but errors of the JVM. */
  int run(String... arguments) {
    try {
      int status =
          isVersion(arguments) ? version() : new Dispatch(console, commands).run(arguments);
      console.out().flush();
      return status;
    } catch (UnreadableFileException e) {
      console.message(String.valueOf(e.getMessage()));
    } catch (FileSystemException e) {
      console.message(e.getFile() + ": " + IoReason.of(e));
    } catch (IOException e) {
      console.message("cannot write the result: " + e.getMessage());
    } catch (OutOfMemoryError e) {
      console.message("out of memory; give the JVM more with WEAKLINK_JAVA_OPTS=-Xmx4g");
    } catch (RuntimeException e) {
      bug(e, arguments);
    }
    return ExitCode.UNUSABLE.number();
  }

  /** Whether the version is asked for before any command is named. */
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

  private void bug(RuntimeException bug, String[] arguments) {
    boolean debug = false;
    for (String argument : arguments) {
      debug |= argument.equals("--debug");
    }
    console.message(
        "internal error: " + bug + (debug ? "" : "; run it again with --debug and report that"));
    if (debug) {
      bug.printStackTrace(console.err());
    }
  }
}
