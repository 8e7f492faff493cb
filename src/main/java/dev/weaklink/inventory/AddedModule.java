package dev.weaklink.inventory;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A module file that did not come with its kernel. Texts are bytes.
 *
 * @param kernel the release in whose directory it lies
 * @param path as seen from inside the root
 * @param link what is written in the symbolic link, null if it is none
 * @param target where that leads inside the root, null if that is nothing
 * @param host the file that has its contents; null if there is none
 */
record AddedModule(
    String kernel,
    String path,
    @Nullable String link,
    @Nullable String target,
    @Nullable Path host) {
  /** As the loader prints it. */
  String name() {
    String file = path.substring(path.lastIndexOf('/') + 1);
    int end = file.indexOf('.');
    return (end < 0 ? file : file.substring(0, end)).replace('-', '_');
  }

  /** The directory, as seen from inside, whose modules.dep tells whether it is used. */
  String base() {
    return (path.startsWith("/usr/") ? "/usr" : "") + "/lib/modules/" + kernel;
  }
}
