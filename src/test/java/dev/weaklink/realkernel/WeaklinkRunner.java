package dev.weaklink.realkernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the built program as a process of its own. */
final class WeaklinkRunner {
  private static final Path JAR =
      Path.of(System.getProperty("weaklink.build", "target"), "weaklink.jar").toAbsolutePath();

  private WeaklinkRunner() {}

  /** {@code weaklink ARGUMENTS}, without a cache. */
  static Run run(List<String> arguments) {
    return run(arguments, "off");
  }

  /**
   * {@code weaklink ARGUMENTS}.
   *
   * @param cache the cache's directory, or "off"
   */
  static Run run(List<String> arguments, String cache) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", JAR.toString()));
    command.addAll(arguments);
    try {
      return run(command, cache, Files.createTempDirectory("weaklink-run"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static Run run(List<String> command, String cache, Path scratch)
      throws IOException, InterruptedException {
    Path out = scratch.resolve("stdout");
    Path err = scratch.resolve("stderr");
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("WEAKLINK_CACHE", cache);
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
