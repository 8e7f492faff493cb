package dev.weaklink.source;

import dev.weaklink.sys.FileIdentity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A module file to be judged.
 *
 * @param host the path to open
 * @param display its path as given, or as found below what was given, or as seen from inside the
 *     root. Unescaped
 * @param identity what was there when it was found; null if that is not known
 */
public record ModuleSource(Path host, String display, @Nullable FileIdentity identity) {
  /** A file of which only its place is known. */
  public ModuleSource(Path host, String display) {
    this(host, display, null);
  }
}
