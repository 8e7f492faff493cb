package dev.weaklink.rebuild.run;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.system.KernelFiles.BuildDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a trial build and the place of its headers.
 *
 * @param release the kernel release
 * @param buildTree the directory of the kernel's headers on this machine
 * @param overlay a directory with usr/src and usr/lib/modules to mount over the machine's directories; null if the
 *     headers are installed
 * @param subject the kernel as weaklink's checks accept it: a release, or a headers directory
 * @param offer the key ({@link dev.weaklink.system.offers.OfferedKernel#key}) of the kernel whose headers were fetched
 *     from a repository; empty for other headers
 */
record TrialKernel(String release, Path buildTree, @Nullable Path overlay, String subject, String offer) {
    private static final Duration UNPACKING_LIMIT = Duration.ofMinutes(5);
    private static final int MOST_PACKAGES = 16;

    /**
     * Finds the installed headers of a kernel. The kernel itself need not be installed.
     *
     * @throws NotDoneException if the headers are not installed
     */
    static TrialKernel installed(Root root, String release) throws IOException, NotDoneException {
        Path modules = root.resolve("/lib/modules/" + release);
        Path build = headers(root, release);
        if (build == null) {
            throw new NotDoneException(release + ": headers not installed; install the headers package, or give the"
                    + " package file with --kernel");
        }
        boolean isInstalled = Files.isDirectory(modules.resolve("kernel"));
        return new TrialKernel(release, build, null, isInstalled ? release : build.toString(), "");
    }

    /** Returns the directory of a kernel's installed headers, or null if they are not installed. */
    static @Nullable Path headers(Root root, String release) throws IOException {
        List<String> places = List.of(
                "/lib/modules/" + release + "/build",
                "/usr/lib/modules/" + release + "/build",
                "/usr/src/linux-headers-" + release,
                "/usr/src/kernels/" + release);
        for (String place : places) {
            Path tree = root.resolve(place);
            if (Files.isRegularFile(tree.resolve("Makefile"))) {
                return tree;
            }
        }
        return null;
    }

    /**
     * Returns the kernel of a headers directory, which may be anywhere. Creates an overlay that links to that
     * directory.
     *
     * @param scratch the directory of the trial
     * @throws NotDoneException if the directory contains no kernel headers with a valid release
     */
    static TrialKernel directory(Path headers, Path scratch) throws IOException, NotDoneException {
        Path tree = headers.toRealPath();
        String release = release(tree, headers.toString());
        Path overlay = Files.createDirectory(scratch.resolve("headers"));
        Path modules = overlay.resolve("usr/lib/modules").resolve(release);
        Files.createDirectories(modules);
        Files.createSymbolicLink(modules.resolve("build"), tree);
        return new TrialKernel(release, tree, overlay, tree.toString(), "");
    }

    TrialKernel of(String key) {
        return new TrialKernel(release, buildTree, overlay, subject, key);
    }

    /**
     * Unpacks packages of headers, as the user of the trial, and returns their kernel. Messages do not contain the path
     * of the trial's directory, which is removed afterwards.
     *
     * @param packages deb or rpm files that together hold the headers of one kernel
     * @param scratch the directory of the trial
     * @throws NotDoneException if the packages are too many, cannot be unpacked, or do not contain the headers of
     *     exactly one kernel
     */
    static TrialKernel packages(List<Path> packages, Path scratch, Isolation isolation)
            throws IOException, NotDoneException {
        if (packages.size() > MOST_PACKAGES) {
            throw new NotDoneException("more than " + MOST_PACKAGES + " packages of headers were given");
        }
        Path overlay = Files.createDirectory(scratch.resolve("headers"));
        isolation.give(overlay);
        for (int i = 0; i < packages.size(); i++) {
            Path file = packages.get(i);
            Path copy = scratch.resolve("package-" + i);
            DurableFiles.copy(file.toRealPath(), copy);
            run(isolation.around(overlay, null, unpacking(file, copy, overlay)), subject(file, scratch), copy, overlay);
            Files.delete(copy);
        }
        // Debian's packages have lib/modules, but the overlay needs usr/lib/modules.
        String script =
                "if [ -d lib/modules ] && [ ! -e usr/lib/modules ]; then mkdir -p usr/lib; mv lib/modules usr/lib;"
                        + " fi";
        Path first = packages.get(0);
        String subject = subject(first, scratch);
        run(isolation.around(overlay, null, List.of("sh", "-c", script)), subject, first, overlay);
        Path tree = tree(overlay, subject, first.startsWith(scratch));
        String release = release(tree, String.valueOf(first.getFileName()));
        // kernel-devel lacks the link to its tree, which is in the package of the kernel itself.
        String link = "usr/lib/modules/" + release + "/build";
        String linking = "[ -e " + ShellWord.of(link) + " ] || [ -L " + ShellWord.of(link) + " ] || { mkdir -p "
                + ShellWord.of("usr/lib/modules/" + release) + " && ln -s "
                + ShellWord.of("/" + overlay.relativize(tree)) + " " + ShellWord.of(link) + "; }";
        run(isolation.around(overlay, null, List.of("sh", "-c", linking)), subject, first, overlay);
        return new TrialKernel(release, tree, overlay, tree.toString(), "");
    }

    /** Unpacks a package below the trial's directory, as the user of the trial. */
    static void unpack(Path file, Path place, Path scratch, Isolation isolation) throws IOException, NotDoneException {
        run(isolation.around(place, null, unpacking(file, file, place)), subject(file, scratch), file, place);
    }

    private static List<String> unpacking(Path file, Path copy, Path overlay) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        if (name.endsWith(".rpm")) {
            String script =
                    "rpm2cpio " + ShellWord.of(copy.toString()) + " | cpio --quiet -idm --no-absolute-filenames";
            return List.of("sh", "-c", script);
        }
        return List.of("dpkg-deb", "-x", copy.toString(), overlay.toString());
    }

    private static String subject(Path file, Path scratch) {
        return file.startsWith(scratch) ? String.valueOf(file.getFileName()) : file.toString();
    }

    private static void run(List<String> words, String subject, Path copy, Path overlay)
            throws IOException, NotDoneException {
        ExternalCommand.Result result =
                ExternalCommand.of(words, UNPACKING_LIMIT).run();
        if (!result.succeeded()) {
            List<String> lines = result.lines();
            String last = lines.isEmpty() ? result.reason() : lines.get(lines.size() - 1);
            String reason = lines.stream()
                    .filter(line -> line.contains("No space left on device"))
                    .findFirst()
                    .orElse(last);
            throw new NotDoneException(subject + ": cannot be unpacked: "
                    + reason.replace(copy.toString(), subject).replace(overlay.toString(), ""));
        }
    }

    /**
     * Returns the only directory below the overlay's usr/src with Module.symvers and utsrelease.h, the file that names
     * the kernel's release. Links are not followed, because any user may have made the packages.
     *
     * @throws NotDoneException if there is no such directory, or several
     */
    private static Path tree(Path overlay, String subject, boolean isFetched) throws NotDoneException, IOException {
        List<Path> found = new ArrayList<>();
        for (String parent : List.of("usr/src", "usr/src/kernels")) {
            Path directory = overlay.resolve(parent);
            for (String name : RootText.names(directory)) {
                Path tree = directory.resolve(name);
                if (isReal(tree.resolve("Module.symvers"), overlay)
                        && isReal(tree.resolve("include/generated/utsrelease.h"), overlay)) {
                    found.add(tree);
                }
            }
        }
        if (found.size() != 1) {
            String contents = found.isEmpty() ? "no headers of a kernel" : "headers of " + found.size() + " kernels";
            String advice = isFetched
                    ? ""
                    : "; give the headers packages of one kernel, such as Debian's linux-headers-6.1.0-53-amd64,"
                            + " linux-headers-6.1.0-53-common and linux-kbuild-6.1";
            throw new NotDoneException(subject + ": contains " + contents + advice);
        }
        return found.get(0);
    }

    /** Returns whether the file is regular, and no part of its path inside the overlay is a link. */
    static boolean isReal(Path file, Path overlay) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && file.toRealPath().equals(overlay.toRealPath().resolve(overlay.relativize(file)));
    }

    private static String release(Path tree, String given) throws NotDoneException {
        String release = BuildDirectory.of(tree).release();
        if (release == null || release.startsWith(".") || release.indexOf('/') >= 0) {
            throw new NotDoneException(
                    given + ": contains no kernel headers (no release in include/generated/utsrelease.h)");
        }
        return release;
    }
}
