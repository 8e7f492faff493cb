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
 * The files of one kernel, found below a root directory, in packages, at the path of an argument, or in a store of
 * kernels.
 *
 * @param label the kernel's name for reports
 * @param kind the kind of argument that named the kernel
 * @param release the release, null if unknown
 * @param files the files other than modules; the preferred file of each role comes first
 * @param tree the modules; null if the kernel has none, or if they were not searched for
 * @param modules the facts of modules that have been read already, by the module's path in {@code tree}
 * @param notes remarks for reports: the files that were found but not used, and the packages that contain the used
 *     files
 * @param stored the kernel as read from a store; null if it is not from a store
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
    public enum Role {
        MODULE,
        /**
         * The kernel's exports, compressed or not. The file is beside the modules (RHEL 8 and later, Fedora, SUSE), in
         * /boot (RHEL 7, SUSE), or in the headers or build directory.
         */
        SYMVERS,
        /** The exports of OFED's RDMA drivers, as built for the kernel. */
        OFED_SYMVERS,
        IMAGE,
        CONFIG,
        BUILTIN_INFO,
        KMOD,
        STORED
    }

    public KernelFiles {
        files = Map.copyOf(files);
        modules = Map.copyOf(modules);
        notes = List.copyOf(notes);
    }

    public static KernelFiles of(
            String label, TargetKind kind, @Nullable String release, Map<Role, List<FoundFile>> files) {
        return new KernelFiles(label, kind, release, files, null, Map.of(), List.of(), null);
    }

    public static KernelFiles stored(String label, TargetKernel kernel, Path file) {
        String release = kernel.release();
        TargetKind kind = TargetKind.STORED_KERNEL;
        List<FoundFile> files = List.of(new FoundFile(file.toString(), file));
        return new KernelFiles(label, kind, release, Map.of(Role.STORED, files), null, Map.of(), List.of(), kernel);
    }

    /**
     * Finds all files of a release except its modules.
     *
     * @throws IOException if the release is not a valid name, or links on the way to its directory form a cycle
     */
    public static KernelFiles locate(Root root, String release) throws IOException {
        ModulesDirectory modules = ModulesDirectory.find(root, release);
        String inside = modules == null ? "/lib/modules/" + release : modules.inside();
        return new KernelFileSearch(root, release, inside).run();
    }

    public KernelFiles with(String name, ModuleTree found, List<String> noted) {
        return new KernelFiles(name, kind, release, files, found, modules, noted, stored);
    }

    public List<FoundFile> all(Role role) {
        return files.getOrDefault(role, List.of());
    }

    public @Nullable FoundFile first(Role role) {
        List<FoundFile> all = all(role);
        return all.isEmpty() ? null : all.get(0);
    }

    /**
     * A kernel's headers or build directory.
     *
     * @param symvers the directory's {@code Module.symvers}, null if missing
     * @param config the directory's {@code .config}, or else {@code include/config/auto.conf}; null if both are missing
     * @param release the release for which the directory was made, null if unknown
     */
    public record BuildDirectory(
            @Nullable Path symvers,
            @Nullable Path config,
            @Nullable String release) {
        private static final String UTS_RELEASE = "#define UTS_RELEASE \"";

        private static final int RELEASE_FILE_SIZE = 4096;

        /**
         * Inspects a directory. The release in {@code utsrelease.h} takes precedence over {@code kernel.release},
         * because modules are built with the former. Debian's headers have only the upstream version in
         * {@code kernel.release}.
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
