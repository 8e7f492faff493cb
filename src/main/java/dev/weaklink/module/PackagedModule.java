package dev.weaklink.module;

import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.sys.UnreadableException;
import org.jspecify.annotations.Nullable;

/**
 * A module in a package, read as the package was gone through.
 *
 * @param info the package it belongs to; in a bundle the innermost one
 * @param owner what that package says of itself, null if nothing
 * @param container where in a bundle that package lies, empty outside of bundles
 * @param path normalised and absolute
 * @param facts what was read of it, relocations included
 * @param runtime what it asks for by name when it runs
 */
public record PackagedModule(
        PackageInfo info,
        Origin.@Nullable Owner owner,
        String container,
        String path,
        Facts facts,
        RuntimeNames runtime) {
    /** What was read of a module, made an object of when it is asked for: few of thousands are. */
    public interface Facts {
        /**
         * The module.
         *
         * @throws UnreadableException if it could not be read
         */
        KernelModule read() throws UnreadableException;
    }

    /** Its path, behind that of the package in a bundle that holds it. */
    public String member() {
        return PackageEntry.member(container, path);
    }
}
