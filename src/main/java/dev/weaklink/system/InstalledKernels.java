package dev.weaklink.system;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.KernelFiles.Role;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

public final class InstalledKernels {
    private InstalledKernels() {}

    /**
     * Returns the releases that have a directory with modules or lists of modules below lib/modules or usr/lib/modules,
     * from oldest to newest. A directory without either, such as the leftovers of a removed kernel, does not count.
     *
     * @throws IOException if one of the two directories exists but cannot be listed, or the directory of a release
     *     cannot be searched
     */
    public static List<String> list(Root root) throws IOException {
        List<String> releases = searchable(root);
        Set<String> others = directories(root);
        releases.forEach(others::remove);
        for (String name : others) {
            if (Character.isDigit(name.charAt(0))) {
                requireOpen(root, name);
            }
        }
        return releases;
    }

    /**
     * Returns the releases of {@link #list}, without those whose directory cannot be searched. Callers use this method
     * where the newest kernel does not matter, so that one closed directory does not hide the other kernels.
     */
    public static List<String> searchable(Root root) throws IOException {
        List<String> releases = new ArrayList<>();
        for (String name : directories(root)) {
            if (isInstalled(root, name)) {
                releases.add(name);
            }
        }
        return releases;
    }

    /** Throws if the directory of a kernel cannot be searched, because that kernel may be the newest. */
    private static void requireOpen(Root root, String release) throws IOException {
        ModulesDirectory directory = directory(root, release);
        if (directory != null && !Files.isExecutable(directory.host())) {
            throw new AccessDeniedException(directory.host().toString());
        }
    }

    public static Set<String> directories(Root root) throws IOException {
        Set<String> names = new TreeSet<>(KernelReleaseOrder.INSTANCE);
        for (String parent : ModulesDirectory.PARENTS) {
            addNames(root.resolve(parent), names);
        }
        return names;
    }

    public static @Nullable String newest(Root root) throws IOException {
        return newest(root, list(root));
    }

    /**
     * Returns the newest release of a kernel that can be booted; if none can, the newest release; null if the list is
     * empty.
     *
     * @param releases the releases, from oldest to newest
     */
    public static @Nullable String newest(Root root, List<String> releases) throws IOException {
        for (int i = releases.size() - 1; i >= 0; i--) {
            if (canBeBooted(root, releases.get(i))) {
                return releases.get(i);
            }
        }
        return releases.isEmpty() ? null : releases.get(releases.size() - 1);
    }

    /**
     * Returns whether a kernel can be booted. First, its directory must contain a part of the kernel
     * ({@link ModulesDirectory#hasOwnModules}). Second, there must be an in-tree module, a kernel image, or a symvers
     * file outside of the headers. Other files may remain after the kernel's removal.
     */
    public static boolean canBeBooted(Root root, String release) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        return directory != null
                && directory.hasOwnModules()
                && (directory.hasInTreeModule() || hasFilesOfItsPackage(KernelFiles.locate(root, release)));
    }

    /** Returns the releases that are known to be bootable, from oldest to newest. */
    public static SortedSet<String> bootable(Root root) {
        SortedSet<String> bootable = new TreeSet<>(KernelReleaseOrder.INSTANCE);
        try {
            for (String release : searchable(root)) {
                if (isKnownToBoot(root, release)) {
                    bootable.add(release);
                }
            }
        } catch (IOException e) {
            // If kernels cannot be listed, none is known.
        }
        return bootable;
    }

    private static boolean isKnownToBoot(Root root, String release) {
        try {
            return canBeBooted(root, release);
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns whether the kernel has a kernel image, or a symvers file that is not part of the headers. */
    private static boolean hasFilesOfItsPackage(KernelFiles files) {
        for (FoundFile symvers : files.all(Role.SYMVERS)) {
            if (!symvers.inside().endsWith("/Module.symvers")) {
                return true;
            }
        }
        return files.first(Role.IMAGE) != null;
    }

    /**
     * Returns a line for each kernel directory that is newer than {@code newest} and contains a part of the kernel, but
     * cannot be booted. The lines explain why the older kernel is the default.
     */
    public static List<InputProblem> passedOver(Root root, @Nullable String newest) throws IOException {
        List<InputProblem> lines = new ArrayList<>();
        for (String release : newest == null ? Set.<String>of() : directories(root)) {
            boolean isNewer = KernelReleaseOrder.INSTANCE.compare(release, String.valueOf(newest)) > 0;
            ModulesDirectory directory = isNewer ? directory(root, release) : null;
            if (directory != null && directory.hasOwnModules() && !canBeBooted(root, release)) {
                lines.add(new InputProblem(
                        directory.inside(),
                        "this release has neither a kernel image nor in-tree modules; ignored",
                        true));
            }
        }
        return lines;
    }

    /** Returns the directory of a release; null if it does not exist or cannot be reached. */
    public static @Nullable ModulesDirectory directory(Root root, String release) {
        try {
            return ModulesDirectory.find(root, release);
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Returns the listed release that an argument names, directly or by the path of the release's module directory.
     * Returns null if the argument names none of the listed releases.
     */
    public static @Nullable String named(String kernel, Root root, List<String> releases) throws IOException {
        if (releases.contains(kernel)) {
            return kernel;
        }
        for (String release : kernel.indexOf('/') < 0 ? List.<String>of() : releases) {
            ModulesDirectory directory = ModulesDirectory.find(root, release);
            if (directory != null && isSame(kernel, directory.host())) {
                return release;
            }
        }
        return null;
    }

    private static boolean isSame(String path, Path directory) {
        try {
            return Files.isDirectory(Path.of(path)) && Files.isSameFile(Path.of(path), directory);
        } catch (IOException | InvalidPathException e) {
            return false;
        }
    }

    private static void addNames(Path parent, Set<String> names) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(parent)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (!name.startsWith(".")) {
                    names.add(name);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // A root directory may contain only one of the two directories, or none.
        } catch (DirectoryIteratorException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    private static boolean isInstalled(Root root, String release) {
        try {
            ModulesDirectory directory = ModulesDirectory.find(root, release);
            return directory != null
                    && !isAboveKernels(root, directory)
                    && (directory.isKernel()
                            || !ModuleTree.scan(root, release, DepmodConfig.DEFAULT)
                                    .all()
                                    .isEmpty());
        } catch (IOException e) {
            // an entry with dangling links is not a kernel
            return false;
        }
    }

    /**
     * Returns whether the directory contains /lib/modules itself, because it is a link to a directory above. Such a
     * directory would seem to have the modules of all kernels.
     */
    private static boolean isAboveKernels(Root root, ModulesDirectory directory) throws IOException {
        for (String parent : ModulesDirectory.PARENTS) {
            if (root.resolve(parent).startsWith(directory.host())) {
                return true;
            }
        }
        return false;
    }
}
