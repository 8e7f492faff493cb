package dev.weaklink.system;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A symbolic link below a kernel's {@code weak-updates}; ordered by its path.
 *
 * @param inside its path as seen from inside the root
 * @param place its path below the kernel's directory, such as {@code weak-updates/a/a.ko}
 * @param target what is written in it, unchanged
 * @param host what it leads to on the host, resolved inside the root; null if it dangles
 * @param directory whether its target is a directory
 */
public record WeakLink(
    String inside, String place, String target, @Nullable Path host, boolean directory)
    implements Comparable<WeakLink> {

  /** Name of the module that it stands for. */
  public String name() {
    return ModuleNames.ofFile(inside.substring(inside.lastIndexOf('/') + 1));
  }

  /** Whether there is nothing at its end. */
  public boolean dangles() {
    return host == null;
  }

  /** Whether a file in the kernel's tree is this link, or was found through it. */
  public boolean leadsTo(ModuleFile file) {
    return file.inside().startsWith(inside)
        && (file.inside().length() == inside.length()
            || file.inside().charAt(inside.length()) == '/');
  }

  @Override
  public int compareTo(WeakLink other) {
    return inside.compareTo(other.inside);
  }
}
