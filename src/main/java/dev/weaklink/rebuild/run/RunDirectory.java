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
 * Where one run keeps what it did: {@code manifest.json}, {@code log}, {@code logs} with those of the build itself,
 * {@code modules} with its results, and, unless it works elsewhere, {@code work}. Runs of a kernel are numbered.
 *
 * @param host the directory
 * @param work where the build works
 */
record RunDirectory(Path host, Path work) {
    private static final String RUNS = "/var/lib/weaklink/rebuilds";
    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /**
     * The next run's, which is not made yet.
     *
     * @param ahead runs that will be made before it
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

    /** What the names of directories elsewhere begin with, in which a run worked. */
    static String prefix(String kernel, String number) {
        return "weaklink-" + kernel + "-" + number + "-";
    }

    /**
     * Makes both directories, which must not be there yet; in the second nobody else has anything to look for.
     *
     * @throws IOException also if others can put another directory in the place of the second
     */
    void make() throws IOException {
        if (!work.startsWith(host)) {
            makePlace(work.resolveSibling(""));
        }
        DurableFiles.createDirectories(host.resolveSibling(""));
        try {
            DurableFiles.createDirectory(host);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(host + ": another rebuild has made it just now; start this one again", e);
        }
        Files.createDirectory(work, PRIVATE);
    }

    /** Makes the directory that was named for builds, below a directory where nobody else can replace it. */
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
     * The directory of a run.
     *
     * @param name as {@link #name} says it
     * @throws IOException if that is no run's name
     */
    static Path named(Root root, String name) throws IOException {
        String kernel = kernelOf(name);
        if (kernel.isEmpty() || kernel.startsWith(".") || kernel.indexOf('/') >= 0) {
            throw new IOException(name + ": not a run of a rebuild");
        }
        String number = name.substring(kernel.length() + 1);
        if (number(number) <= 0 || !Integer.toString(number(number)).equals(number)) {
            throw new IOException(name + ": not a run of a rebuild");
        }
        return root.resolve(RUNS + "/" + kernel + "/" + number);
    }

    /** The release that a run of such a name builds for. */
    static String kernelOf(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('/')));
    }

    /** The run as {@code KERNEL/N}. */
    static String name(Path run) {
        Path parent = run.getParent();
        return (parent == null ? "" : parent.getFileName()) + "/" + run.getFileName();
    }

    /** The kernels that there are runs for, sorted. */
    static List<String> kernels(Root root) throws IOException {
        return RootText.names(root.resolve(RUNS));
    }

    /** The runs for a kernel, the last one first; what is a link is none. */
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

    /** What lies before any run: the lock of a kernel's rebuilds. */
    static Path lock(Root root, String kernel) throws IOException {
        return root.resolve("/run/weaklink/rebuild-" + kernel + ".lock");
    }

    Path log() {
        return host.resolve("log");
    }

    Path manifest() {
        return host.resolve("manifest.json");
    }

    /** Copies of the logs that a build wrote itself. */
    Path logs() {
        return host.resolve("logs");
    }

    /** What the build made, as it made it. */
    Path results() {
        return host.resolve("results");
    }

    /** What was unpacked of the results. */
    Path modules() {
        return host.resolve("modules");
    }
}
