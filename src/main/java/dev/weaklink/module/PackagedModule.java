package dev.weaklink.module;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A module in a package, read as the package was gone through.
 *
 * @param member its path inside the package
 * @param owner what the package says of itself, null if nothing
 * @param facts what was read of it, relocations included; null if it could not be read
 * @param failure why it could not be read, else null
 * @param runtimeSymbols what it asks for by {@code symbol_get}, see {@link RuntimeNames#symbols}
 */
public record PackagedModule(
    String member,
    Origin.@Nullable Owner owner,
    @Nullable KernelModule facts,
    @Nullable String failure,
    List<String> runtimeSymbols) {
  /** One that could not be read. */
  public static PackagedModule unreadable(
      String member, Origin.@Nullable Owner owner, String failure) {
    return new PackagedModule(member, owner, null, failure, List.of());
  }
}
