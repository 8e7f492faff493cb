package dev.weaklink.cache;

import dev.weaklink.archive.HeldBytes;
import dev.weaklink.archive.PackageInfo;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What going through a package once gave.
 *
 * @param entries its modules and the files of kernels in it, in its order; a path met again
 *     replaces the one met before
 * @param problems what was left out, and why
 * @param failure why it could not be read to its end, null if it could
 */
public record PackageFacts(List<Entry> entries, List<Problem> problems, @Nullable String failure) {
  /**
   * A file: either a module or one of a kernel's other files.
   *
   * @param owner the package it belongs to; in a bundle the innermost one
   * @param container where in a bundle that package lies, as {@link
   *     dev.weaklink.archive.PackageEntry#container} has it
   * @param path normalised and absolute
   */
  public record Entry(
      PackageInfo owner,
      String container,
      String path,
      @Nullable PackagedModule module,
      @Nullable HeldBytes bytes) {
    /** Its path, behind that of the package in a bundle that holds it. */
    public String member() {
      return PackageFacts.member(container, path);
    }
  }

  /**
   * Something that was left out.
   *
   * @param subject the entry's name, unescaped; empty for the package itself
   */
  public record Problem(String subject, String message) {}

  static String member(String container, String path) {
    return container.isEmpty() ? path : container + "!" + path;
  }

  /** What a package says of itself to those who read about its modules, null if nothing. */
  public static Origin.@Nullable Owner owner(PackageInfo info) {
    return info.name().isEmpty()
        ? null
        : new Origin.Owner(info.kind().id(), info.name(), info.version(), info.product());
  }
}
