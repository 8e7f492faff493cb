package dev.weaklink.check.userspace;

import dev.weaklink.format.elf.ElfIdentity;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a shared library that the dynamic linker reads. Names have one character for each byte.
 *
 * @param identity machine, class and byte order, which must be equal in all libraries of a process
 * @param soname DT_SONAME, null if absent
 * @param needed DT_NEEDED, in the file's order
 * @param searchPath the directories of DT_RUNPATH, or of DT_RPATH without DT_RUNPATH
 * @param demands the symbol versions that the library needs, in the file's order
 * @param versions the symbol versions that the library defines; empty for a library without versions
 * @param imports the undefined symbols, except weak ones, in the file's order
 * @param exports the defined symbols, as {@code name} and {@code name@version}
 */
record SharedLibrary(
        ElfIdentity identity,
        @Nullable String soname,
        List<String> needed,
        List<String> searchPath,
        List<RequiredVersion> demands,
        Set<String> versions,
        List<LibraryImport> imports,
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
     * @param library the other library's soname
     * @param isWeak true if the version may be missing (VER_FLG_WEAK)
     */
    record RequiredVersion(String library, String version, boolean isWeak) {}

    /**
     * A symbol that another library must define.
     *
     * @param version the required version, empty for any
     */
    record LibraryImport(String name, String version) {}

    /** Returns whether the library defines the symbol; a library without versions matches every version. */
    boolean offers(LibraryImport symbol) {
        boolean anyVersion = symbol.version().isEmpty() || versions.isEmpty();
        return exports.contains(anyVersion ? symbol.name() : symbol.name() + "@" + symbol.version());
    }
}
