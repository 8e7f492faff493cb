package dev.weaklink.format.archive;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a package says of itself.
 *
 * @param kind its format
 * @param name its name; empty for a tar archive and an image
 * @param version as its manager prints it, {@code [epoch:]version[-release]}; empty where there is
 *     none
 * @param product name of the source that it and perhaps others are built from, null if it does not
 *     say
 * @param requires what it depends on, alternatives one by one
 */
public record PackageInfo(
    PackageKind kind,
    String name,
    String version,
    @Nullable String product,
    List<PackageRelation> requires) {
  public PackageInfo {
    requires = List.copyOf(requires);
  }

  /** A package that says nothing of itself. */
  static PackageInfo unnamed(PackageKind kind) {
    return new PackageInfo(kind, "", "", null, List.of());
  }
}
