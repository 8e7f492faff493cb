package dev.weaklink.system.cache;

import dev.weaklink.format.archive.HeldBytes;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What going through a package once gave.
 *
 * @param modules in its order, each path once
 * @param files of kernels, in its order, each path once
 * @param problems what was left out, and why
 * @param failure why it could not be read to its end, null if it could
 */
public record PackageFacts(
    List<PackagedModule> modules,
    List<KernelFile> files,
    List<Problem> problems,
    @Nullable String failure) {
  /**
   * One of a kernel's files, other than its modules.
   *
   * @param info the package it belongs to; in a bundle the innermost one
   * @param member its path, behind that of the package in a bundle that holds it
   * @param path normalised and absolute
   */
  public record KernelFile(PackageInfo info, String member, String path, HeldBytes bytes) {}

  /**
   * Something that was left out.
   *
   * @param subject the entry's name, unescaped; empty for the package itself
   */
  public record Problem(String subject, String message) {}

  /** What a package says of itself to those who read about its modules, null if nothing. */
  public static Origin.@Nullable Owner owner(PackageInfo info) {
    return info.name().isEmpty()
        ? null
        : new Origin.Owner(info.kind().id(), info.name(), info.version(), info.product());
  }
}
