package dev.weaklink.system;

import java.nio.file.Path;

/**
 * A module file that did not come with a kernel, below {@code extra} or {@code updates} of the
 * kernel it was installed for; ordered by its path.
 *
 * @param name the module's name, with {@code '_'} for {@code '-'}
 * @param release the kernel whose directory it lies in
 * @param place its path below that directory, such as {@code extra/a/a.ko}
 * @param inside its path as seen from inside the root
 * @param host the path to open, links resolved inside the root
 */
public record ModuleBuild(String name, String release, String place, String inside, Path host)
    implements Comparable<ModuleBuild> {
  @Override
  public int compareTo(ModuleBuild other) {
    return inside.compareTo(other.inside);
  }

  /** The directories between {@code extra} or {@code updates} and the file, empty if none. */
  public String directory() {
    int first = place.indexOf('/');
    int last = place.lastIndexOf('/');
    return first == last ? "" : place.substring(first + 1, last);
  }
}
