package dev.weaklink.source;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import org.jspecify.annotations.Nullable;

/**
 * A module in a package, read as the package was gone through.
 *
 * @param member its path inside the package
 * @param owner what the package says of itself, null if nothing
 * @param facts what was read of it, null if it could not be read
 * @param failure why it could not be read, else null
 */
public record PackagedModule(
    String member,
    Origin.@Nullable Owner owner,
    @Nullable KernelModule facts,
    @Nullable String failure) {}
