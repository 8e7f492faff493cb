package dev.weaklink.rebuild.run;

import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.system.ModuleNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Extracts the modules for one kernel from a build's results, and lists the packages that contain them. Reads packages
 * without external programs.
 */
final class ResultUnpacker {
    /** The maximum nesting depth of packages; DOCA's repository has two levels. */
    private static final int MAX_DEPTH = 4;

    private static final String MODULES = "/lib/modules/";
    private static final String OVERRIDES = "/etc/depmod.d/";

    private static final String DEBUG = "/usr/lib/debug/";

    private final Path directory;
    private final String kernel;
    private final Set<Path> modules = new TreeSet<>();
    private final Set<Path> packages = new TreeSet<>();
    private final Set<Path> overrides = new TreeSet<>();
    private final Set<String> others = new TreeSet<>();
    private int unpacked;

    /**
     * Creates an unpacker for one run.
     *
     * @param directory the directory to unpack to, which is created if missing
     * @param kernel the release of the wanted modules
     */
    ResultUnpacker(Path directory, String kernel) {
        this.directory = directory;
        this.kernel = kernel;
    }

    List<Path> modules() {
        return List.copyOf(modules);
    }

    List<Path> packages() {
        return List.copyOf(packages);
    }

    /** Returns the files for depmod.d(5) from the packages and archives with modules for the kernel, sorted by path. */
    List<Path> overrides() {
        return List.copyOf(overrides);
    }

    List<String> otherKernels() {
        return List.copyOf(others);
    }

    /**
     * Adds the modules in these result files.
     *
     * @throws IOException if a result cannot be read; the message names the file
     */
    void add(List<Path> results) throws IOException {
        for (Path result : results) {
            if (ModuleNames.isModuleFile(String.valueOf(result.getFileName()))) {
                modules.add(result);
            } else if (PackageReader.isPackage(result)) {
                add(result, 1, isPackageName(result.toString()));
            }
        }
    }

    /**
     * Adds the modules in a package, or in an archive of packages or modules.
     *
     * @return true if the file contains modules for the kernel, also in a package inside it
     */
    private boolean add(Path file, int depth, boolean isPackage) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new IOException(file + ": contains packages that are nested too deep");
        }
        UnpackedContents contents = new UnpackedContents(directory.resolve(Integer.toString(++unpacked)), isPackage);
        try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
            open.forEach(contents);
        }
        if (contents.problem != null) {
            throw new IOException(file + ": " + contents.problem);
        }
        boolean holds = !contents.modules.isEmpty();
        if (holds) {
            modules.addAll(contents.modules);
            overrides.addAll(contents.overrides);
            if (isPackage) {
                packages.add(file);
            }
        }
        for (Path inner : contents.packages) {
            if (add(inner, depth + 1, true)) {
                holds = true;
            } else {
                Files.deleteIfExists(inner);
            }
        }
        if (!holds) {
            DurableFiles.deleteTree(contents.tree);
        }
        return holds;
    }

    private static boolean isPackageName(String path) {
        return path.endsWith(".rpm") && !path.endsWith(".src.rpm") || path.endsWith(".deb");
    }

    private final class UnpackedContents implements EntryVisitor {
        private final Path tree;
        private final boolean isPackage;
        private final List<Path> modules = new ArrayList<>();
        private final List<Path> packages = new ArrayList<>();
        private final List<Path> overrides = new ArrayList<>();
        private @Nullable String problem;

        UnpackedContents(Path tree, boolean isPackage) {
            this.tree = tree;
            this.isPackage = isPackage;
        }

        @Override
        public boolean wants(String path) {
            return isModule(path) || isOverride(path) || isPackageName(path);
        }

        @Override
        public boolean wantsPackage(String path) {
            return isPackageName(path);
        }

        @Override
        public void visit(PackageEntry entry) throws IOException {
            if (entry.type() != EntryType.FILE) {
                return;
            }
            String path = entry.path();
            Path file = written(entry);
            if (isPackageName(path)) {
                packages.add(file);
            } else if (isOverride(path)) {
                overrides.add(file);
            } else {
                modules.add(file);
            }
        }

        private Path written(PackageEntry entry) throws IOException {
            try {
                Path file = tree.resolve(entry.path().substring(1));
                Files.createDirectories(file.resolveSibling("."));
                Files.copy(entry.contents(), file, StandardCopyOption.REPLACE_EXISTING);
                return file;
            } catch (InvalidPathException e) {
                throw new IOException("the result contains a file whose name is invalid in the locale of weaklink", e);
            }
        }

        /**
         * Returns whether the path is a module for the kernel. In an archive, modules may also be outside of
         * lib/modules; a package installs no modules elsewhere.
         */
        private boolean isModule(String path) {
            if (!ModuleNames.isModuleFile(path.substring(path.lastIndexOf('/') + 1)) || path.contains(DEBUG)) {
                return false;
            }
            int at = path.indexOf(MODULES);
            if (at < 0) {
                return !isPackage;
            }
            String release = path.substring(at + MODULES.length());
            release = release.substring(0, Math.max(0, release.indexOf('/')));
            if (!release.equals(kernel)) {
                others.add(release);
            }
            return release.equals(kernel);
        }

        /**
         * Returns whether the path is a file of depmod.d: {@code /etc/depmod.d/x.conf} in a package, or the same path
         * below the top directory of an archive.
         */
        private boolean isOverride(String path) {
            int at = path.indexOf(OVERRIDES);
            return at >= 0
                    && path.indexOf('/', 1) >= at
                    && path.indexOf('/', at + OVERRIDES.length()) < 0
                    && path.endsWith(".conf");
        }

        @Override
        public void problem(String subject, String message) {
            if (problem == null) {
                problem = subject.isEmpty() ? message : subject + ": " + message;
            }
        }
    }
}
