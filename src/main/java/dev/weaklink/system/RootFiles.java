package dev.weaklink.system;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks for files and directories in a root; what cannot be reached is not there. */
final class RootFiles {
  private final Root root;

  RootFiles(Root root) {
    this.root = root;
  }

  @Nullable FoundFile file(String inside) {
    Path real = real(inside);
    return real != null && Files.isRegularFile(real) ? new FoundFile(inside, real) : null;
  }

  /** The real path of a directory on the host. */
  @Nullable Path directory(String inside) {
    Path real = real(inside);
    return real != null && Files.isDirectory(real) ? real : null;
  }

  /** Names in a directory, sorted. */
  List<String> names(String inside) {
    Path directory = directory(inside);
    return directory == null ? List.of() : RootText.names(directory);
  }

  private @Nullable Path real(String inside) {
    try {
      return root.resolve(inside).toRealPath();
    } catch (IOException e) {
      return null;
    }
  }
}
