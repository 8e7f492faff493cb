package dev.weaklink.system;

import java.util.List;

/** How kmod gets from a file's name to a module's name (libkmod, path_to_modname). */
public final class ModuleNames {
    /** What names of module files end with. */
    public static final List<String> ENDINGS = List.of(".ko", ".ko.gz", ".ko.xz", ".ko.zst");

    /** The same, for messages. */
    public static final String ENDINGS_IN_WORDS = ".ko, .ko.gz, .ko.xz or .ko.zst";

    private ModuleNames() {}

    /**
     * Whether a file of this name is a module. A name that starts with a dot is not: its module would have no name to
     * be loaded by.
     */
    public static boolean isModuleFile(String fileName) {
        for (String ending : ENDINGS) {
            if (fileName.endsWith(ending)) {
                return fileName.charAt(0) != '.';
            }
        }
        return false;
    }

    /** The module's name: what comes before the first dot, with {@code '_'} for {@code '-'}. */
    public static String ofFile(String fileName) {
        int dot = fileName.indexOf('.');
        return normalized(dot < 0 ? fileName : fileName.substring(0, dot));
    }

    /** The module's name by its path as symvers files have it, without suffix. */
    public static String ofPath(String path) {
        return ofFile(path.substring(path.lastIndexOf('/') + 1));
    }

    /** A module's name as typed by somebody, with {@code '_'} for {@code '-'}. */
    public static String normalized(String name) {
        return name.replace('-', '_');
    }
}
