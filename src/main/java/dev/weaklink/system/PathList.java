package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Paths read from standard input: one per line, or separated by NUL if there is a NUL anywhere. */
final class PathList {
  static final String SUBJECT = "standard input";

  /** Paths for more than a hundred thousand modules. */
  private static final int MAX_BYTES = 32 << 20;

  /** Linux's PATH_MAX, in bytes. */
  private static final int MAX_PATH = 4096;

  private PathList() {}

  static List<Path> read(InputStream in, List<InputProblem> problems) {
    byte[] bytes;
    try {
      bytes = in.readNBytes(MAX_BYTES + 1);
    } catch (IOException e) {
      problems.add(new InputProblem(SUBJECT, "cannot be read: " + IoReason.of(e)));
      return List.of();
    }
    if (bytes.length > MAX_BYTES) {
      problems.add(new InputProblem(SUBJECT, "holds more than " + MAX_BYTES + " bytes; not read"));
      return List.of();
    }
    return split(bytes, contains(bytes, 0) ? 0 : '\n', problems);
  }

  private static List<Path> split(byte[] bytes, int separator, List<InputProblem> problems) {
    List<Path> paths = new ArrayList<>();
    int number = 0;
    for (int start = 0; start < bytes.length; ) {
      int end = start;
      while (end < bytes.length && bytes[end] != separator) {
        end++;
      }
      number++;
      if (end - start > MAX_PATH) {
        problems.add(new InputProblem(SUBJECT + ":" + number, "longer than a path can be"));
      } else if (end > start) {
        paths.add(PathBytes.toPath(bytes, start, end));
      }
      start = end + 1;
    }
    return paths;
  }

  private static boolean contains(byte[] bytes, int value) {
    for (byte b : bytes) {
      if (b == value) {
        return true;
      }
    }
    return false;
  }
}
