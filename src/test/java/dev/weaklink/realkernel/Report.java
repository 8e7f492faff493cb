package dev.weaklink.realkernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What a run could not judge, or judged in numbers: printed and kept in report.txt. */
final class Report {
  /** Where fetched kernels, derived modules and the report lie. */
  static final Path DIRECTORY =
      Path.of(System.getProperty("weaklink.build", "target"), "real-kernels").toAbsolutePath();

  private static final Path FILE = DIRECTORY.resolve("report.txt");

  static {
    try {
      Files.deleteIfExists(FILE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Report() {}

  static synchronized void say(String line) {
    System.out.println(line);
    try {
      Files.createDirectories(DIRECTORY);
      Files.writeString(FILE, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
