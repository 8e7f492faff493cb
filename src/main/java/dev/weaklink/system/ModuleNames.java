package dev.weaklink.system;

import java.util.List;

/** Converts file names to module names like kmod (libkmod, path_to_modname). */
public final class ModuleNames {
    public static final List<String> ENDINGS = List.of(".ko", ".ko.gz", ".ko.xz", ".ko.zst");

    public static final String ENDINGS_IN_WORDS = ".ko, .ko.gz, .ko.xz or .ko.zst";

    private ModuleNames() {}

    /**
     * Returns whether a file of this name is a module. A name that starts with a dot does not count, because the
     * module's name would be empty.
     */
    public static boolean isModuleFile(String fileName) {
        for (String ending : ENDINGS) {
            if (fileName.endsWith(ending)) {
                return fileName.charAt(0) != '.';
            }
        }
        return false;
    }

    /** Returns the module's name: the part before the first dot, with {@code '_'} for {@code '-'}. */
    public static String ofFile(String fileName) {
        int dot = fileName.indexOf('.');
        return normalized(dot < 0 ? fileName : fileName.substring(0, dot));
    }

    public static String ofPath(String path) {
        return ofFile(path.substring(path.lastIndexOf('/') + 1));
    }

    public static String normalized(String name) {
        return name.replace('-', '_');
    }
}
