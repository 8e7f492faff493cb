package dev.weaklink.check.userspace;

import dev.weaklink.format.elf.ElfIdentity;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the dynamic linker looks at in one shared library. Names have one character a byte.
 *
 * @param identity machine, class and byte order; libraries are only loaded beside equal ones
 * @param soname DT_SONAME, null if there is none
 * @param needed DT_NEEDED, in the file's order
 * @param searchPath the directories of DT_RUNPATH, or DT_RPATH where there is none
 * @param demands versions of symbols it needs, in the file's order
 * @param versions versions of symbols it defines; empty for a library without versions
 * @param imports symbols it does not define itself, without weak ones, in the file's order
 * @param exports symbols it defines, as {@code name} and {@code name@version}
 */
record SharedLibrary(
        ElfIdentity identity,
        @Nullable String soname,
        List<String> needed,
        List<String> searchPath,
        List<Demand> demands,
        Set<String> versions,
        List<Import> imports,
        Set<String> exports) {

    SharedLibrary {
        needed = List.copyOf(needed);
        searchPath = List.copyOf(searchPath);
        demands = List.copyOf(demands);
        versions = Set.copyOf(versions);
        imports = List.copyOf(imports);
        exports = Set.copyOf(exports);
    }

    /**
     * A version that another library must define.
     *
     * @param library the other's soname
     * @param isWeak whether it may be missing (VER_FLG_WEAK)
     */
    record Demand(String library, String version, boolean isWeak) {}

    /**
     * A symbol that has to be found.
     *
     * @param version of the symbol, empty if any will do
     */
    record Import(String name, String version) {}

    /** Whether a symbol is found here; a library without versions offers its symbols to all. */
    boolean offers(Import symbol) {
        boolean anyVersion = symbol.version().isEmpty() || versions.isEmpty();
        return exports.contains(anyVersion ? symbol.name() : symbol.name() + "@" + symbol.version());
    }
}
