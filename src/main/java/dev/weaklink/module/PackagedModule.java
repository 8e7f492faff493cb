package dev.weaklink.module;

import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.sys.UnreadableException;
import org.jspecify.annotations.Nullable;

/**
 * A module in a package, read in one pass over the package. Packages can be nested in a bundle, a tar archive of
 * packages.
 *
 * @param info the package that contains the module; in a bundle the innermost package
 * @param owner the package's own name and version, null if it has none
 * @param container the path of the innermost package in a bundle, empty outside of bundles
 * @param path the module's path in the innermost package, normalised and absolute
 * @param facts the facts read from the module, relocations included
 * @param runtime the names that the module requests at run time
 */
public record PackagedModule(
        PackageInfo info,
        Origin.@Nullable Owner owner,
        String container,
        String path,
        Facts facts,
        RuntimeNames runtime) {
    /**
     * The stored facts of a module, decoded on request: a package may have thousands of modules, of which callers need
     * few.
     */
    public interface Facts {
        KernelModule read() throws UnreadableException;
    }

    public String member() {
        return PackageEntry.member(container, path);
    }
}
