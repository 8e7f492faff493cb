package dev.weaklink.system;

import dev.weaklink.system.KernelFiles.Role;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of a file in a kernel's packages, derived from its path.
 *
 * @param release the kernel that the file belongs to
 * @param rank the preference among files of one role; the lowest is preferred
 */
record KernelPath(String release, Role role, int rank) {
    private static final String MODULES = "/lib/modules/";
    private static final String USR = "/usr";
    private static final String SOURCES = "/usr/src/";
    private static final String HEADERS = "linux-headers-";
    private static final String KERNELS = "kernels/";
    private static final int BESIDE_MODULES = 0;
    private static final int IN_BOOT = 1;
    private static final int IN_HEADERS = 2;

    static @Nullable KernelPath of(String path) {
        KernelPath found = anyOf(path);
        return found == null || found.release().isEmpty() ? null : found;
    }

    private static @Nullable KernelPath anyOf(String path) {
        if (path.startsWith(MODULES)) {
            return ofModules(path.substring(MODULES.length()));
        }
        if (path.startsWith(USR + MODULES)) {
            return ofModules(path.substring(USR.length() + MODULES.length()));
        }
        if (path.startsWith("/boot/")) {
            return ofBoot(path.substring("/boot/".length()));
        }
        return path.startsWith(SOURCES) ? ofSources(path.substring(SOURCES.length())) : null;
    }

    private static @Nullable KernelPath ofModules(String path) {
        int slash = path.indexOf('/');
        if (slash < 0) {
            return null;
        }
        String release = path.substring(0, slash);
        String rest = path.substring(slash + 1);
        if (PackageScan.isModule(rest)) {
            return new KernelPath(release, Role.MODULE, BESIDE_MODULES);
        }
        if (KernelFileSearch.IMAGE_NAMES.contains(rest)) {
            return new KernelPath(release, Role.IMAGE, BESIDE_MODULES);
        }
        switch (withoutPacking(rest)) {
            case "symvers":
                return new KernelPath(release, Role.SYMVERS, BESIDE_MODULES);
            case "config":
                return new KernelPath(release, Role.CONFIG, BESIDE_MODULES);
            case "modules.builtin.modinfo":
                return new KernelPath(release, Role.BUILTIN_INFO, BESIDE_MODULES);
            default:
                return null;
        }
    }

    private static @Nullable KernelPath ofBoot(String name) {
        if (name.startsWith("config-")) {
            return new KernelPath(name.substring("config-".length()), Role.CONFIG, IN_BOOT);
        }
        if (name.startsWith("symvers-")) {
            String release = withoutPacking(name.substring("symvers-".length()));
            return new KernelPath(release, Role.SYMVERS, IN_BOOT);
        }
        for (String image : KernelFileSearch.IMAGE_NAMES) {
            if (name.startsWith(image + "-")) {
                return new KernelPath(name.substring(image.length() + 1), Role.IMAGE, IN_BOOT);
            }
        }
        return null;
    }

    /**
     * Parses a path below /usr/src: Debian's {@code linux-headers-K}, Red Hat's {@code kernels/K}, or SUSE's
     * {@code linux-VERSION-obj/ARCH/FLAVOR}.
     */
    private static @Nullable KernelPath ofSources(String path) {
        int slash = path.lastIndexOf('/');
        if (slash < 0) {
            return null;
        }
        String directory = path.substring(0, slash);
        String release = null;
        if (directory.startsWith(HEADERS)) {
            release = directory.substring(HEADERS.length());
        } else if (directory.startsWith(KERNELS)) {
            release = directory.substring(KERNELS.length());
        } else {
            release = ofSuse(directory);
        }
        if (release == null || release.indexOf('/') >= 0) {
            return null;
        }
        switch (path.substring(slash + 1)) {
            case "Module.symvers":
                return new KernelPath(release, Role.SYMVERS, IN_HEADERS);
            case ".config":
                return new KernelPath(release, Role.CONFIG, IN_HEADERS);
            default:
                return null;
        }
    }

    private static @Nullable String ofSuse(String directory) {
        int first = directory.indexOf("-obj/");
        int last = directory.lastIndexOf('/');
        if (!directory.startsWith("linux-") || first < 0 || last < first + "-obj/".length()) {
            return null;
        }
        return directory.substring("linux-".length(), first) + "-" + directory.substring(last + 1);
    }

    private static String withoutPacking(String name) {
        for (String ending : new String[] {".gz", ".xz", ".zst"}) {
            if (name.endsWith(ending)) {
                return name.substring(0, name.length() - ending.length());
            }
        }
        return name;
    }
}
