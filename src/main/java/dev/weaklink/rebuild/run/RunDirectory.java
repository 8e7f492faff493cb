package dev.weaklink.rebuild.run;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Ownership;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The directory of one numbered run. It contains {@code manifest.json}, {@code log}, {@code logs} with the build's own
 * logs, {@code results} with the output files, {@code modules} with the unpacked modules, and {@code work} unless the
 * build works elsewhere.
 *
 * @param host the run's directory
 * @param work the directory in which the build works
 */
record RunDirectory(Path host, Path work) {
    private static final String RUNS = "/var/lib/weaklink/rebuilds";
    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /**
     * Returns the next run's directory, without creating it.
     *
     * @param ahead the number of runs that will be created before this one
     */
    static RunDirectory next(Root root, String kernel, @Nullable Path elsewhere, int ahead) throws IOException {
        Path runs = root.resolve(RUNS + "/" + kernel);
        int last = 0;
        for (String name : RootText.names(runs)) {
            last = Math.max(last, number(name));
        }
        String next = Integer.toString(last + 1 + ahead);
        Path host = runs.resolve(next);
        Path work = elsewhere == null
                ? host.resolve("work")
                : elsewhere.toAbsolutePath().normalize().resolve(prefix(kernel, next) + UUID.randomUUID());
        return new RunDirectory(host, work);
    }

    static String prefix(String kernel, String number) {
        return "weaklink-" + kernel + "-" + number + "-";
    }

    /**
     * Creates the run's directory and the work directory, which must not exist. The work directory is private.
     *
     * @throws IOException also if other users could replace the work directory
     */
    void make() throws IOException {
        if (!work.startsWith(host)) {
            makePlace(work.resolveSibling(""));
        }
        DurableFiles.createDirectories(host.resolveSibling(""));
        try {
            DurableFiles.createDirectory(host);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(host + ": another rebuild has just created this directory; run the command again", e);
        }
        Files.createDirectory(work, PRIVATE);
    }

    /**
     * Creates the directory that the user named for builds. Throws IOException if another user could replace this
     * directory or one of its parents.
     */
    private static void makePlace(Path place) throws IOException {
        Path existing = place;
        while (!Files.isDirectory(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        checkPlace(existing, place);
        DurableFiles.createDirectories(place);
        checkPlace(place, place);
    }

    private static void checkPlace(Path directory, Path place) throws IOException {
        String problem = Ownership.ofProcess().placeProblem(directory.toRealPath());
        if (problem != null) {
            throw new IOException(
                    "cannot build below " + place + ": " + problem + "; name another directory with --work");
        }
    }

    /**
     * Returns the directory of a run.
     *
     * @param name the run as {@code KERNEL/NUMBER}
     * @throws IOException if the name has another form
     */
    static Path named(Root root, String name) throws IOException {
        String kernel = kernelOf(name);
        if (kernel.isEmpty() || kernel.startsWith(".") || kernel.indexOf('/') >= 0) {
            throw new IOException(name + ": invalid name of a recorded rebuild; expected RELEASE/NUMBER");
        }
        String number = name.substring(kernel.length() + 1);
        if (number(number) <= 0 || !Integer.toString(number(number)).equals(number)) {
            throw new IOException(name + ": invalid name of a recorded rebuild; expected RELEASE/NUMBER");
        }
        return root.resolve(RUNS + "/" + kernel + "/" + number);
    }

    static String kernelOf(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('/')));
    }

    static String name(Path run) {
        Path parent = run.getParent();
        return (parent == null ? "" : parent.getFileName()) + "/" + run.getFileName();
    }

    static List<String> kernels(Root root) throws IOException {
        return RootText.names(root.resolve(RUNS));
    }

    /** Returns the directories of the runs for a kernel, the latest first; links are left out. */
    static List<Path> newestFirst(Root root, String kernel) throws IOException {
        Path runs = root.resolve(RUNS + "/" + kernel);
        List<Path> found = new ArrayList<>();
        for (String name : RootText.names(runs)) {
            Path run = runs.resolve(name);
            if (number(name) > 0 && Files.isDirectory(run, LinkOption.NOFOLLOW_LINKS)) {
                found.add(run);
            }
        }
        found.sort(Comparator.comparingInt(run -> -number(String.valueOf(run.getFileName()))));
        return found;
    }

    private static int number(String name) {
        try {
            return Integer.parseInt(name);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    static Path lock(Root root, String kernel) throws IOException {
        return root.resolve("/run/weaklink/rebuild-" + kernel + ".lock");
    }

    Path log() {
        return host.resolve("log");
    }

    Path manifest() {
        return host.resolve("manifest.json");
    }

    Path logs() {
        return host.resolve("logs");
    }

    Path results() {
        return host.resolve("results");
    }

    Path modules() {
        return host.resolve("modules");
    }
}
