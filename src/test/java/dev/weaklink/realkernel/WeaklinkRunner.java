package dev.weaklink.realkernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs the built program as a process of its own. */
final class WeaklinkRunner {
  private static final Path JAR =
      Path.of(System.getProperty("weaklink.build", "target"), "weaklink.jar").toAbsolutePath();

  private WeaklinkRunner() {}

  /** {@code weaklink ARGUMENTS}. */
  static Run run(List<String> arguments) {
    return run(arguments, Map.of());
  }

  /** The same with more in its environment. */
  static Run run(List<String> arguments, Map<String, String> environment) {
    ProcessBuilder builder = new ProcessBuilder(command(arguments));
    builder.environment().putAll(environment);
    try {
      return run(builder, Files.createTempDirectory("weaklink-run"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** The words of a process that runs {@code weaklink ARGUMENTS}. */
  static List<String> command(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", JAR.toString()));
    command.addAll(arguments);
    return command;
  }

  private static Run run(ProcessBuilder builder, Path scratch)
      throws IOException, InterruptedException {
    Path out = scratch.resolve("stdout");
    Path err = scratch.resolve("stderr");
    try {
      int exitCode =
          builder
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start()
              .waitFor();
      return new Run(exitCode, Files.readAllLines(out), Files.readString(err));
    } finally {
      Files.deleteIfExists(out);
      Files.deleteIfExists(err);
      Files.deleteIfExists(scratch);
    }
  }

  /** What a run gave. */
  record Run(int exitCode, List<String> stdout, String stderr) {}
}
