package dev.weaklink.system;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.KernelFiles.BuildDirectory;
import dev.weaklink.system.KernelFiles.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

final class KernelFileSearch {
    private static final List<String> PACKINGS = List.of(".gz", ".xz", ".zst", "");

    static final List<String> IMAGE_NAMES = List.of("vmlinuz", "vmlinux", "Image", "image");

    private static final String OFED = "/usr/src/ofa_kernel";

    private final RootFiles files;
    private final String release;
    private final String modules;
    private final List<String> notTaken = new ArrayList<>();

    KernelFileSearch(Root root, String release, String modules) {
        this.files = new RootFiles(root);
        this.release = release;
        this.modules = modules;
    }

    KernelFiles run() {
        List<String> headers = headerDirectories();
        Map<Role, List<FoundFile>> found = new EnumMap<>(Role.class);
        found.put(Role.SYMVERS, symvers(headers));
        found.put(Role.OFED_SYMVERS, ofedSymvers());
        found.put(Role.IMAGE, images());
        found.put(Role.CONFIG, configs(headers));
        found.put(Role.BUILTIN_INFO, beside("modules.builtin.modinfo"));
        found.put(Role.KMOD, kmod());
        TargetKind kind = TargetKind.INSTALLED_KERNEL;
        return new KernelFiles(release, kind, release, found, null, Map.of(), notTaken, null);
    }

    private List<FoundFile> beside(String name) {
        FoundFile file = files.file(modules + "/" + name);
        return file == null ? List.of() : List.of(file);
    }

    private List<FoundFile> kmod() {
        List<FoundFile> found = new ArrayList<>();
        for (String directory : List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin")) {
            add(found, directory + "/kmod");
        }
        List<String> libraries = new ArrayList<>(List.of("/usr/lib64", "/usr/lib"));
        for (String name : files.names("/usr/lib")) {
            if (name.endsWith("-linux-gnu")) {
                libraries.add("/usr/lib/" + name);
            }
        }
        for (String directory : libraries) {
            add(found, directory + "/libkmod.so.2");
        }
        return found;
    }

    private List<FoundFile> symvers(List<String> headers) {
        List<FoundFile> found = new ArrayList<>();
        for (String packing : PACKINGS) {
            add(found, modules + "/symvers" + packing);
        }
        for (String packing : PACKINGS) {
            add(found, "/boot/symvers-" + release + packing);
        }
        for (String directory : headers) {
            add(found, directory + "/Module.symvers");
        }
        return found;
    }

    private List<FoundFile> configs(List<String> headers) {
        List<FoundFile> found = new ArrayList<>();
        add(found, "/boot/config-" + release);
        add(found, modules + "/config");
        for (String directory : headers) {
            add(found, directory + "/.config");
        }
        return found;
    }

    private List<FoundFile> images() {
        List<FoundFile> found = new ArrayList<>();
        for (String name : IMAGE_NAMES) {
            add(found, "/boot/" + name + "-" + release);
            add(found, modules + "/" + name);
        }
        return found;
    }

    private List<String> headerDirectories() {
        List<String> directories = new ArrayList<>();
        directories.add("/usr/src/linux-headers-" + release);
        directories.add("/usr/src/kernels/" + release);
        String build = modules + "/build";
        if (isForThisRelease(build)) {
            directories.add(build);
        }
        addSuseDirectories(directories);
        directories.add("/usr/src/linux-" + release);
        return directories;
    }

    /**
     * Returns whether the kernel's build link may be used. If the link leads to a directory for another release,
     * returns false and adds a note.
     */
    private boolean isForThisRelease(String directory) {
        String other = releaseOf(directory);
        if (other == null || other.equals(release)) {
            return true;
        }
        notTaken.add(directory + " is for kernel " + other + "; not used");
        return false;
    }

    private @Nullable String releaseOf(String directory) {
        Path host = files.directory(directory);
        return host == null ? null : BuildDirectory.of(host).release();
    }

    /**
     * Adds SUSE's directories linux-VERSION-obj/ARCH/FLAVOR. The path does not contain the whole release, so the
     * release is read from the directory's files.
     */
    private void addSuseDirectories(List<String> directories) {
        for (String name : files.names("/usr/src")) {
            if (!name.startsWith("linux-") || !name.endsWith("-obj")) {
                continue;
            }
            for (String arch : files.names("/usr/src/" + name)) {
                for (String flavor : files.names("/usr/src/" + name + "/" + arch)) {
                    String directory = "/usr/src/" + name + "/" + arch + "/" + flavor;
                    if (release.equals(releaseOf(directory))) {
                        directories.add(directory);
                    }
                }
            }
        }
    }

    private List<FoundFile> ofedSymvers() {
        List<FoundFile> found = new ArrayList<>();
        for (String arch : files.names(OFED)) {
            if (!arch.equals("default")) {
                add(found, OFED + "/" + arch + "/" + release + "/Module.symvers");
            }
        }
        Path byDefault = files.directory(OFED + "/default");
        if (byDefault == null || byDefault.endsWith(release)) {
            add(found, OFED + "/default/Module.symvers");
        } else {
            String other = String.valueOf(byDefault.getFileName());
            notTaken.add(OFED + "/default points to " + other + "; not used");
        }
        return found;
    }

    private void add(List<FoundFile> found, String inside) {
        FoundFile file = files.file(inside);
        if (file == null) {
            return;
        }
        for (FoundFile earlier : found) {
            if (earlier.host().equals(file.host())) {
                return;
            }
        }
        found.add(file);
    }

    /** The files below a root directory; unreachable files count as missing. */
    private record RootFiles(Root root) {
        @Nullable
        FoundFile file(String inside) {
            Path real = real(inside);
            return real != null && Files.isRegularFile(real) ? new FoundFile(inside, real) : null;
        }

        @Nullable
        Path directory(String inside) {
            Path real = real(inside);
            return real != null && Files.isDirectory(real) ? real : null;
        }

        List<String> names(String inside) {
            Path directory = directory(inside);
            return directory == null ? List.of() : RootText.names(directory);
        }

        private @Nullable Path real(String inside) {
            try {
                return root.resolve(inside).toRealPath();
            } catch (IOException e) {
                return null;
            }
        }
    }
}
