package dev.weaklink.module;

import org.jspecify.annotations.Nullable;

/**
 * The source of a module.
 *
 * @param file the path as given, or as found below the given directory; a path below {@code --root} is the path inside
 *     that root directory
 * @param member the entry inside a package, null for a plain file
 * @param owner the package that contains the module; null for a plain file and for a package without a name and version
 */
public record Origin(
        String file, @Nullable String member, @Nullable Owner owner) {
    /**
     * The name, version and format of a package.
     *
     * @param kind the package format, such as rpm
     * @param version the version as the package manager prints it
     * @param product the name of the source that the package was built from, null if unknown
     */
    public record Owner(
            String kind,
            String name,
            String version,
            @Nullable String product) {}

    public Origin(String file, @Nullable String member) {
        this(file, member, null);
    }

    public static Origin file(String file) {
        return new Origin(file, null);
    }

    public String moduleName() {
        return moduleName(member != null ? member : file);
    }

    /** Returns the module name that matches a file name: {@code a/b-c.ko.xz} is {@code b_c}. */
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
