package dev.weaklink.system;

import dev.weaklink.sys.FileIdentity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A module's file in an installed tree; ordered by its path.
 *
 * @param name the module's name as modprobe(8) knows it, with {@code '_'} for {@code '-'}
 * @param inside the path as seen from inside the root, such as {@code /lib/modules/K/extra/m.ko}
 * @param host the path to open; where the file is a link, what it points to inside the root
 * @param identity what was there when it was found; null if nobody asked
 */
public record ModuleFile(String name, String inside, Path host, @Nullable FileIdentity identity)
    implements Comparable<ModuleFile> {
  /** A file of which only its place is known. */
  public ModuleFile(String name, String inside, Path host) {
    this(name, inside, host, null);
  }

  @Override
  public int compareTo(ModuleFile other) {
    return inside.compareTo(other.inside);
  }
}
