package dev.weaklink.links.transaction;

import dev.weaklink.sys.Root;
import dev.weaklink.system.ModulesDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A kernel's directory that may be changed: links lead to its parent at most, and it is none
 * itself.
 *
 * @param host the directory without any links in its path
 */
record KernelDirectory(String release, Path host) {
  /** The directory of a kernel below one parent, or null if there is none. */
  static @Nullable KernelDirectory below(Root root, String parent, String release)
      throws IOException {
    checkRelease(release);
    Path host = root.resolve(parent).normalize();
    if (!Files.isDirectory(host)) {
      return null;
    }
    host = host.toRealPath().resolve(release);
    if (Files.isSymbolicLink(host)) {
      throw new IOException(parent + "/" + release + " is a symbolic link, not a directory");
    }
    return Files.isDirectory(host, LinkOption.NOFOLLOW_LINKS)
        ? new KernelDirectory(release, host)
        : null;
  }

  /** The directory depmod works on, or null if the root has none for this kernel. */
  static @Nullable KernelDirectory find(Root root, String release) throws IOException {
    checkRelease(release);
    ModulesDirectory found = ModulesDirectory.find(root, release);
    if (found == null) {
      return null;
    }
    String inside = found.inside();
    return below(root, inside.substring(0, inside.lastIndexOf('/')), release);
  }

  /** What depmod does not take for a release, it takes for a file name or an option. */
  private static void checkRelease(String release) throws IOException {
    int digits = 0;
    while (digits < release.length() && isDigit(release.charAt(digits))) {
      digits++;
    }
    boolean version =
        digits > 0
            && digits + 1 < release.length()
            && release.charAt(digits) == '.'
            && isDigit(release.charAt(digits + 1));
    if (!version || release.indexOf('/') >= 0 || release.indexOf('\0') >= 0) {
      throw new IOException("not a kernel release: " + release);
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
