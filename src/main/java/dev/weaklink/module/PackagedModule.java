package dev.weaklink.module;

import dev.weaklink.archive.PackageEntry;
import dev.weaklink.archive.PackageInfo;
import org.jspecify.annotations.Nullable;

/**
 * A module in a package, read as the package was gone through.
 *
 * @param info the package it belongs to; in a bundle the innermost one
 * @param owner what that package says of itself, null if nothing
 * @param container where in a bundle that package lies, empty outside of bundles
 * @param path normalised and absolute
 * @param facts what was read of it, relocations included; null if it could not be read
 * @param failure why it could not be read, else null
 * @param runtime what it asks for by name when it runs
 */
public record PackagedModule(
    PackageInfo info,
    Origin.@Nullable Owner owner,
    String container,
    String path,
    @Nullable KernelModule facts,
    @Nullable String failure,
    RuntimeNames runtime) {
  /** Its path, behind that of the package in a bundle that holds it. */
  public String member() {
    return PackageEntry.member(container, path);
  }
}
