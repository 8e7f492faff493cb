package dev.weaklink.check;

import dev.weaklink.format.archive.DiskImage;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Similar;
import dev.weaklink.sys.StalledReads;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.KernelFiles.BuildDirectory;
import dev.weaklink.system.KernelFiles.Role;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.PackagedKernels;
import dev.weaklink.system.TargetKind;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the files of the kernels that a request names. A name is an installed release, a path (package, symvers file,
 * kernel image, headers, build or modules directory), or the name of a stored kernel.
 */
final class TargetFinder {
    private static final String LIB = "lib";
    private static final String MODULES = "modules";
    private static final int HEAD_SIZE = 512;
    static final String WHAT_TO_GIVE =
            "give an installed release, a kernel's package, a Module.symvers file, a kernel image or a"
                    + " kernel's headers directory";

    /** The maximum number of notes on harmless problems; a removed driver may leave hundreds of dangling links. */
    private static final int MOST_NOTES = 8;

    private final Root root;
    private final StoredKernels store;
    private final GivenPackages packages;
    private final List<InputProblem> problems;

    /**
     * The flag that is true if a single kernel is requested. Only then are an installed kernel's symvers file and image
     * read early, in the background, because several kernels must not be in memory at once.
     */
    private boolean only;

    /** The cache with facts about images if the kernels will be opened, else null. */
    private @Nullable FactsCache cache;

    TargetFinder(Root root, StoredKernels store, List<InputProblem> problems) {
        this(root, store, GivenPackages.unkept(), problems);
    }

    TargetFinder(Root root, StoredKernels store, GivenPackages packages, List<InputProblem> problems) {
        this.packages = packages;
        this.root = root;
        this.store = store;
        this.problems = problems;
    }

    TargetFinder opening(FactsCache facts) {
        cache = facts;
        return this;
    }

    List<FoundKernel> find(List<String> kernels) {
        List<FoundKernel> found = new ArrayList<>();
        Set<String> asked = new LinkedHashSet<>(kernels.isEmpty() ? newest() : kernels);
        only = asked.size() == 1;
        PackagedTargets packaged = new PackagedTargets(packages, problems);
        int place = 0;
        for (String kernel : asked) {
            if (packaged.add(kernel)) {
                continue;
            }
            FoundKernel files = find(kernel);
            if (files != null) {
                found.add(files);
                place += packaged.isEmpty() ? 1 : 0;
            }
        }
        // Packages may be parts of one kernel, so all kernels from packages are listed at the position of the first
        // package.
        found.addAll(place, packaged.targets());
        return found;
    }

    private List<String> newest() {
        try {
            String newest = InstalledKernels.newest(root);
            if (newest != null) {
                problems.addAll(InstalledKernels.passedOver(root, newest));
                return List.of(newest);
            }
            problem(
                    root.top().toString(),
                    "no kernel is installed below its lib/modules; give a kernel's package, a Module.symvers"
                            + " file, a kernel image or a headers directory (weaklink check: with --kernel)");
        } catch (IOException e) {
            problem(root.top().toString(), "kernels cannot be listed: " + e.getMessage());
        }
        return List.of();
    }

    private @Nullable FoundKernel find(String kernel) {
        if (kernel.isEmpty()) {
            // NIO would treat an empty path as the current directory.
            problem(kernel, "a kernel's name cannot be empty; " + WHAT_TO_GIVE);
            return null;
        }
        try {
            // "." is a build directory, and no release begins with a dot
            boolean mayBeRelease = kernel.indexOf('/') < 0 && !kernel.startsWith(".");
            if (mayBeRelease && ModulesDirectory.find(root, kernel) != null) {
                return installed(kernel, kernel, root);
            }
            Path path = Path.of(kernel);
            if (StalledReads.watched(path, () -> Files.isDirectory(path))) {
                return directory(kernel, path);
            }
            if (Files.exists(path)) {
                DiskImage image = DiskImage.of(path);
                if (image == null || image == DiskImage.PE) {
                    return file(kernel, path);
                }
                problem(kernel, image.advice(kernel));
                return null;
            }
            if (kernel.indexOf('/') < 0 && store.has(kernel)) {
                KernelFiles stored = store.find(kernel);
                return stored == null ? null : FoundKernel.later(stored);
            }
            problem(
                    kernel,
                    kernel.indexOf('/') < 0
                            ? "no such kernel in " + root.top() + " and no such file" + installed(kernel)
                            : "no such file or directory; " + WHAT_TO_GIVE);
        } catch (IOException | InvalidPathException e) {
            problem(kernel, String.valueOf(e.getMessage()));
        }
        return null;
    }

    private String installed(String kernel) throws IOException {
        List<String> releases = InstalledKernels.list(root);
        return "; installed: "
                + (releases.isEmpty() ? "none; " + WHAT_TO_GIVE : String.join(", ", releases))
                + Similar.question(kernel, releases);
    }

    private FoundKernel file(String label, Path file) {
        List<FoundFile> found = List.of(new FoundFile(label, file));
        boolean text = isText(file);
        return FoundKernel.later(KernelFiles.of(
                label,
                text ? TargetKind.SYMVERS_FILE : TargetKind.KERNEL_IMAGE,
                null,
                Map.of(text ? Role.SYMVERS : Role.IMAGE, found)));
    }

    /** Returns whether the file is text. An unreadable file counts as text, so that reading it reports the problem. */
    private static boolean isText(Path file) {
        try (InputStream in = Streams.open(file)) {
            for (byte b : in.readNBytes(HEAD_SIZE)) {
                if (b >= 0 && b < ' ' && b != '\n' && b != '\r' && b != '\t') {
                    return false;
                }
            }
        } catch (IOException e) {
            return true;
        }
        return true;
    }

    private @Nullable FoundKernel directory(String label, Path path) throws IOException {
        BuildDirectory build = BuildDirectory.of(path);
        if (build.symvers() != null) {
            return headers(label, path, build, build.symvers());
        }
        Path real = path.toRealPath();
        Path parent = real.getParent();
        Path top = parent == null ? null : parent.getParent();
        if (parent != null
                && top != null
                && MODULES.equals(String.valueOf(parent.getFileName()))
                && LIB.equals(String.valueOf(top.getFileName()))) {
            return installed(label, String.valueOf(real.getFileName()), Root.of(above(top)));
        }
        problem(label, "contains no Module.symvers, and is not a directory below lib/modules; " + WHAT_TO_GIVE);
        return null;
    }

    private static FoundKernel headers(String label, Path directory, BuildDirectory build, Path symvers) {
        Path config = build.config();
        Map<Role, List<FoundFile>> files = new EnumMap<>(Role.class);
        files.put(Role.SYMVERS, List.of(below(label, directory, symvers)));
        if (config != null) {
            files.put(Role.CONFIG, List.of(below(label, directory, config)));
        }
        return FoundKernel.later(KernelFiles.of(label, TargetKind.HEADERS_DIRECTORY, build.release(), files));
    }

    private static FoundFile below(String label, Path directory, Path file) {
        return new FoundFile(label + (label.endsWith("/") ? "" : "/") + directory.relativize(file), file);
    }

    private static Path above(Path lib) {
        Path parent = lib.getParent();
        Path top = parent == null ? lib : parent;
        boolean usr = "usr".equals(String.valueOf(top.getFileName()));
        Path aboveUsr = top.getParent();
        return usr && aboveUsr != null ? aboveUsr : top;
    }

    private FoundKernel installed(String label, String release, Root where) throws IOException {
        KernelFiles files = KernelFiles.locate(where, release);
        FoundKernel kernel = started(files);
        ModuleTree tree = ModuleTree.scan(where, release);
        List<String> notes = new ArrayList<>();
        report(tree.problems(), notes);
        notes.addAll(files.notes());
        return kernel.with(label, tree, notes);
    }

    private FoundKernel started(KernelFiles files) {
        if (!only) {
            return FoundKernel.later(files);
        }
        return cache == null ? FoundKernel.start(files) : FoundKernel.start(files, cache);
    }

    /**
     * Reports problems with the kernel's modules. Harmless problems become notes, so that they do not make verdicts
     * uncertain.
     */
    private void report(List<InputProblem> met, List<String> notes) {
        int harmless = 0;
        for (InputProblem problem : met) {
            if (!problem.harmless()) {
                problem(problem.subject(), problem.message());
            } else if (harmless++ < MOST_NOTES) {
                notes.add(problem.subject() + ": " + problem.message());
            }
        }
        if (harmless > MOST_NOTES) {
            notes.add("more such problems, without effect on the results: " + (harmless - MOST_NOTES));
        }
    }

    private void problem(String subject, String message) {
        problems.add(new InputProblem(subject, message));
    }

    private static final class PackagedTargets {
        private static final String BARE =
                "contains no kernel; if it is a metapackage, give the packages that it requires: the kernel's image,"
                        + " modules or headers package";
        private static final String NO_KERNEL =
                "contains no kernel: neither image nor symvers file nor modules below lib/modules/*/kernel;"
                        + " give the kernel's image, modules or headers package";

        private final GivenPackages read;
        private final List<InputProblem> problems;
        private final List<InputProblem> met = new ArrayList<>();
        private @Nullable PackagedKernels kernels;
        private final List<String> packages = new ArrayList<>();

        PackagedTargets(GivenPackages read, List<InputProblem> problems) {
            this.read = read;
            this.problems = problems;
        }

        /** Adds the package at this path; returns false if the path is not a package. */
        boolean add(String given) {
            Path file;
            try {
                file = Path.of(given);
            } catch (InvalidPathException e) {
                return false;
            }
            // Most names are releases. This test avoids loading the package classes for them.
            if (given.isEmpty() || !StalledReads.exists(file) || !PackageReader.isPackage(file)) {
                return false;
            }
            packages.add(given);
            if (kernels == null) {
                kernels = new PackagedKernels(read, met);
            }
            kernels.add(file, given);
            return true;
        }

        boolean isEmpty() {
            return packages.isEmpty();
        }

        List<FoundKernel> targets() {
            List<FoundKernel> targets = new ArrayList<>();
            if (kernels == null) {
                return targets;
            }
            for (KernelFiles kernel : kernels.kernels()) {
                targets.add(FoundKernel.later(kernel));
            }
            problems.addAll(met);
            for (String given : kernels.unused(packages)) {
                boolean bare = kernels.isBare(given);
                boolean aside = bare && !targets.isEmpty(); // it requires the other packages, which contain the kernel
                if (!aside && !isDamaged(given)) {
                    problems.add(new InputProblem(given, bare ? BARE : NO_KERNEL, bare));
                }
            }
            return targets;
        }

        /** Returns whether the package could not be read completely, so that it may contain more. */
        private boolean isDamaged(String given) {
            for (InputProblem problem : met) {
                if (problem.subject().equals(given) && !problem.harmless()) {
                    return true;
                }
            }
            return false;
        }
    }
}
