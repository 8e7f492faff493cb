package dev.weaklink.compat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel that runs. */
final class RunningKernel {
  private static final Path OSRELEASE = Path.of("/proc/sys/kernel/osrelease");

  private RunningKernel() {}

  /** What {@code uname -r} says. */
  static String release() throws IOException {
    return Files.readString(OSRELEASE, StandardCharsets.ISO_8859_1).strip();
  }
}
