package dev.weaklink.rebuild;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Recognises the names of package files with kernel modules. Packages of the same modules have several names:
 * {@code kmod-iser} (RHEL, for several kernels), {@code iser-kmp-default} (SUSE), {@code iser-modules} (RHEL or SUSE,
 * for one kernel), {@code iser-modules-6.1.0-1-amd64} (Debian).
 */
public final class ModulePackages {
    private ModulePackages() {}

    /**
     * Returns whether this is the file name of an rpm or deb package that contains neither sources nor debugging data.
     */
    public static boolean canBeOne(String file) {
        if (file.endsWith(".src.rpm") || !file.endsWith(".rpm") && !file.endsWith(".deb")) {
            return false;
        }
        String name = name(file);
        return !name.endsWith("-debuginfo") && !name.endsWith("-debugsource") && !name.endsWith("-dbgsym");
    }

    public static boolean isOne(String file) {
        if (!canBeOne(file)) {
            return false;
        }
        String name = name(file);
        return name.startsWith("kmod-")
                || name.contains("-kmp-")
                || name.endsWith("-kmp")
                || name.endsWith("-modules")
                || name.contains("-modules-")
                || name.endsWith("-kmod");
    }

    /**
     * Returns the subjects of the packages with modules, such as {@code iser}. A subject is the part of the name that
     * all forms of the name share.
     */
    public static Set<String> subjects(List<String> files) {
        Set<String> subjects = new TreeSet<>();
        for (String file : files) {
            if (isOne(file)) {
                subjects.add(subject(name(file)));
            }
        }
        return subjects;
    }

    private static String subject(String name) {
        String bare = name.startsWith("kmod-") ? name.substring("kmod-".length()) : name;
        int kmp = bare.indexOf("-kmp");
        if (kmp > 0) {
            bare = bare.substring(0, kmp);
        }
        // The name ends with the kernel's release, as Debian's module-assistant writes it.
        int modules = bare.indexOf("-modules-");
        if (modules > 0) {
            bare = bare.substring(0, modules);
        }
        for (String ending : List.of("-modules", "-kmod", "-mlnx")) {
            if (bare.endsWith(ending)) {
                bare = bare.substring(0, bare.length() - ending.length());
            }
        }
        return bare;
    }

    /** Returns the name before {@code -VERSION-RELEASE.ARCH.rpm} or {@code _VERSION_ARCH.deb}. */
    private static String name(String file) {
        if (file.endsWith(".deb")) {
            int end = file.indexOf('_');
            return end < 0 ? file.substring(0, file.length() - 4) : file.substring(0, end);
        }
        int dash = file.lastIndexOf('-');
        dash = dash < 0 ? dash : file.lastIndexOf('-', dash - 1);
        return dash < 0 ? file.substring(0, file.length() - 4) : file.substring(0, dash);
    }
}
