package dev.weaklink.module;

import org.jspecify.annotations.Nullable;

/**
 * Where a module was read from.
 *
 * @param file the path as given, or as found below what was given (below a root: as seen inside it)
 * @param member the entry inside a package, null for a plain file
 * @param owner what the package says of itself, null if nothing, and for a plain file
 */
public record Origin(
        String file, @Nullable String member, @Nullable Owner owner) {
    /**
     * A package.
     *
     * @param kind its format, such as rpm
     * @param version as its manager prints it
     * @param product name of the source it was built from, null if unknown
     */
    public record Owner(
            String kind,
            String name,
            String version,
            @Nullable String product) {}

    /** An entry of a package that says nothing of itself. */
    public Origin(String file, @Nullable String member) {
        this(file, member, null);
    }

    /** A plain file. */
    public static Origin file(String file) {
        return new Origin(file, null);
    }

    /** The module name that the file's name stands for: no directories, no endings, '_' for '-'. */
    public String moduleName() {
        return moduleName(member != null ? member : file);
    }

    /** The module name that a file name stands for: {@code a/b-c.ko.xz} is {@code b_c}. */
    public static String moduleName(String path) {
        String base = path.substring(path.lastIndexOf('/') + 1);
        int ending = base.indexOf(".ko");
        return (ending > 0 ? base.substring(0, ending) : base).replace('-', '_');
    }

    @Override
    public String toString() {
        return member == null ? file : file + "!" + member;
    }
}
