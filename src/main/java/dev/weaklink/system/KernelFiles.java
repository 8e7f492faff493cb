package dev.weaklink.system;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was found of one kernel and is still to be read: in a root, in packages, as a file or directory that was named,
 * or in a store.
 *
 * @param label what to call it
 * @param kind what it was given as
 * @param release its release, null if not known
 * @param files its other files; the preferred one of each role comes first
 * @param tree its modules, null if there are none, or nobody has looked for them
 * @param modules what has been read of its modules already, by their paths in the tree
 * @param notes what was found and not taken, and where it comes from
 * @param stored what a store has of it, if it is from there; else null
 */
public record KernelFiles(
        String label,
        TargetKind kind,
        @Nullable String release,
        Map<Role, List<FoundFile>> files,
        @Nullable ModuleTree tree,
        Map<String, PackagedModule> modules,
        List<String> notes,
        @Nullable TargetKernel stored) {
    /** What a file is to a check. */
    public enum Role {
        /** One of its modules. */
        MODULE,
        /**
         * Its exports, in any packing: beside the modules (RHEL 8 and later, Fedora, SUSE), in /boot (RHEL 7, SUSE), in
         * the headers (Debian, Ubuntu, kernel-devel, kernel-default-devel, plain builds).
         */
        SYMVERS,
        /** Exports of an OFED that was built for it. */
        OFED_SYMVERS,
        /** The kernel itself, as it is booted: in /boot, beside the modules. */
        IMAGE,
        /** Its configuration: in /boot, beside the modules, in the headers. */
        CONFIG,
        /** modules.builtin.modinfo, the modinfo of what is compiled in. */
        BUILTIN_INFO,
        /** kmod, which loads modules. */
        KMOD,
        /** What a store has of it. */
        STORED
    }

    public KernelFiles {
        files = Map.copyOf(files);
        modules = Map.copyOf(modules);
        notes = List.copyOf(notes);
    }

    /** A kernel without modules, of which nothing is to be noted. */
    public static KernelFiles of(
            String label, TargetKind kind, @Nullable String release, Map<Role, List<FoundFile>> files) {
        return new KernelFiles(label, kind, release, files, null, Map.of(), List.of(), null);
    }

    /** A kernel that was kept when it was seen before. */
    public static KernelFiles stored(String label, TargetKernel kernel, Path file) {
        String release = kernel.release();
        TargetKind kind = TargetKind.STORED_KERNEL;
        List<FoundFile> files = List.of(new FoundFile(file.toString(), file));
        return new KernelFiles(label, kind, release, Map.of(Role.STORED, files), null, Map.of(), List.of(), kernel);
    }

    /**
     * Looks for everything about a release but its modules.
     *
     * @throws IOException if the release is not a plain name
     */
    public static KernelFiles locate(Root root, String release) throws IOException {
        ModulesDirectory modules = ModulesDirectory.find(root, release);
        String inside = modules == null ? "/lib/modules/" + release : modules.inside();
        return new KernelFileSearch(root, release, inside).run();
    }

    /** The same with the kernel's modules, called and noted otherwise. */
    public KernelFiles with(String name, ModuleTree found, List<String> noted) {
        return new KernelFiles(name, kind, release, files, found, modules, noted, stored);
    }

    /** All files of a role. */
    public List<FoundFile> all(Role role) {
        return files.getOrDefault(role, List.of());
    }

    /** The preferred file of a role, null if there is none. */
    public @Nullable FoundFile first(Role role) {
        List<FoundFile> all = all(role);
        return all.isEmpty() ? null : all.get(0);
    }

    /**
     * A kernel's headers or build directory.
     *
     * @param symvers its Module.symvers
     * @param config its {@code .config}, else {@code include/config/auto.conf}
     * @param release the release it was made for
     */
    public record BuildDirectory(
            @Nullable Path symvers,
            @Nullable Path config,
            @Nullable String release) {
        private static final String UTS_RELEASE = "#define UTS_RELEASE \"";

        /** Both files that say the release are one line. */
        private static final int RELEASE_FILE_SIZE = 4096;

        /**
         * Looks at a directory of the host. {@code utsrelease.h} is what modules are built with and comes first:
         * Debian's headers have the upstream version in {@code kernel.release}.
         */
        public static BuildDirectory of(Path directory) {
            Path config = existing(directory.resolve(".config"));
            if (config == null) {
                config = existing(directory.resolve("include/config/auto.conf"));
            }
            return new BuildDirectory(existing(directory.resolve("Module.symvers")), config, release(directory));
        }

        private static @Nullable Path existing(Path file) {
            return Files.isRegularFile(file) ? file : null;
        }

        private static @Nullable String release(Path directory) {
            String header = RootText.read(directory.resolve("include/generated/utsrelease.h"), RELEASE_FILE_SIZE);
            int start = header.indexOf(UTS_RELEASE);
            if (start >= 0) {
                start += UTS_RELEASE.length();
                int end = header.indexOf('"', start);
                return end <= start ? null : header.substring(start, end);
            }
            String release = RootText.read(directory.resolve("include/config/kernel.release"), RELEASE_FILE_SIZE)
                    .strip();
            return release.isEmpty() ? null : release;
        }
    }
}
