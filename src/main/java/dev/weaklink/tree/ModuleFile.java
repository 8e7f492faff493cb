package dev.weaklink.tree;

import java.nio.file.Path;

/**
 * A module's file in an installed tree; ordered by its path.
 *
 * @param name the module's name as modprobe(8) knows it, with {@code '_'} for {@code '-'}
 * @param inside the path as seen from inside the root, such as {@code /lib/modules/K/extra/m.ko}
 * @param host the path to open; where the file is a link, what it points to inside the root
 */
public record ModuleFile(String name, String inside, Path host) implements Comparable<ModuleFile> {
  @Override
  public int compareTo(ModuleFile other) {
    return inside.compareTo(other.inside);
  }
}
