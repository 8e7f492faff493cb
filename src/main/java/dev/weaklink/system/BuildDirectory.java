package dev.weaklink.system;

import dev.weaklink.sys.RootText;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A kernel's headers or build directory.
 *
 * @param symvers its Module.symvers
 * @param config its {@code .config}, else {@code include/config/auto.conf}
 * @param release the release it was made for
 */
public record BuildDirectory(
    @Nullable Path symvers, @Nullable Path config, @Nullable String release) {
  private static final String UTS_RELEASE = "#define UTS_RELEASE \"";

  /** Both files that say the release are one line. */
  private static final int RELEASE_FILE_SIZE = 4096;

  /**
   * Looks at a directory of the host. {@code utsrelease.h} is what modules are built with and comes
   * first: Debian's headers have the upstream version in {@code kernel.release}.
   */
  public static BuildDirectory of(Path directory) {
    Path config = existing(directory.resolve(".config"));
    if (config == null) {
      config = existing(directory.resolve("include/config/auto.conf"));
    }
    return new BuildDirectory(
        existing(directory.resolve("Module.symvers")), config, release(directory));
  }

  private static @Nullable Path existing(Path file) {
    return Files.isRegularFile(file) ? file : null;
  }

  private static @Nullable String release(Path directory) {
    String header =
        RootText.read(directory.resolve("include/generated/utsrelease.h"), RELEASE_FILE_SIZE);
    int start = header.indexOf(UTS_RELEASE);
    if (start >= 0) {
      start += UTS_RELEASE.length();
      int end = header.indexOf('"', start);
      return end <= start ? null : header.substring(start, end);
    }
    String release =
        RootText.read(directory.resolve("include/config/kernel.release"), RELEASE_FILE_SIZE)
            .strip();
    return release.isEmpty() ? null : release;
  }
}
