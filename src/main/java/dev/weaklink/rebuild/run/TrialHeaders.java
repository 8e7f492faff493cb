package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.run.HeadersDownload.PackageContents;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the headers for a trial build: installed headers, given files, or the headers of a kernel that a repository
 * offers.
 */
record TrialHeaders(Root root, Map<String, String> environment, RunListener listener) {
    private static final Duration DOWNLOAD_LIMIT = Duration.ofMinutes(5);
    private static final long MAX_SIZE = 128L << 20;

    /**
     * Finds or fetches a kernel's headers.
     *
     * @param kernel a release, a headers directory, or package files that together are the headers of one kernel
     * @param scratch the directory of the trial
     * @throws NotDoneException if there are no such headers, or if they cannot be fetched, unpacked or mounted here
     */
    TrialKernel find(List<String> kernel, Path scratch, Isolation isolation) throws IOException, NotDoneException {
        List<Path> files = new ArrayList<>();
        for (String one : kernel) {
            if (isPath(one)) {
                if (!Files.exists(Path.of(one))) {
                    throw new NotDoneException(one + ": no such file");
                }
                files.add(Path.of(one));
            }
        }
        if (files.isEmpty()) {
            return named(kernel.get(0), scratch, isolation);
        }
        requireOverlay(isolation);
        return files.size() == 1 && Files.isDirectory(files.get(0))
                ? TrialKernel.directory(files.get(0), scratch)
                : TrialKernel.packages(files, scratch, isolation);
    }

    /**
     * Returns whether an argument is a path. A name without a slash is a release even if the current directory has a
     * file of this name, because another user may have put it there.
     */
    private static boolean isPath(String argument) {
        return argument.indexOf('/') >= 0
                || argument.startsWith(".")
                || argument.endsWith(".deb")
                || argument.endsWith(".rpm");
    }

    private TrialKernel named(String release, Path scratch, Isolation isolation) throws IOException, NotDoneException {
        try {
            return TrialKernel.installed(root, release);
        } catch (NotDoneException e) {
            OfferedKernel kernel = offered(release);
            if (kernel == null) {
                throw Files.isDirectory(Path.of(release))
                        ? new NotDoneException(release + ": headers not installed; to use the directory of this name,"
                                + " give ./" + release)
                        : e;
            }
            listener.phase("fetching the headers of " + release);
            return fetch(kernel, scratch, isolation);
        }
    }

    /** Returns the newest kernel of this release that a repository offers with headers; null if there is none. */
    private @Nullable OfferedKernel offered(String release) throws IOException {
        Offers offers = Offers.read(root, Set.of(), Set.copyOf(InstalledKernels.list(root)), List.of());
        OfferedKernel newest = null;
        for (OfferedKernel kernel : offers == null ? List.<OfferedKernel>of() : offers.kernels()) {
            boolean hasHeaders = kernel.headers() != null || devel(kernel) != null;
            newest = kernel.release().equals(release) && hasHeaders ? kernel : newest;
        }
        return newest;
    }

    /**
     * Fetches the headers of a kernel from the repository that offers the kernel.
     *
     * @throws NotDoneException if the headers cannot be fetched or unpacked
     */
    TrialKernel fetch(OfferedKernel kernel, Path scratch, Isolation isolation) throws IOException, NotDoneException {
        requireOverlay(isolation);
        Path directory = Files.createDirectory(
                scratch.resolve("packages"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        OfferedPackage headers = kernel.headers();
        List<Path> files = headers == null ? byDnf(kernel, directory) : byApt(headers, kernel, directory);
        return TrialKernel.packages(files, scratch, isolation).of(kernel.key());
    }

    /** Returns the package with the headers of a kernel that dnf offers; null if there is no such package. */
    private static @Nullable OfferedPackage devel(OfferedKernel kernel) {
        for (OfferedPackage one : kernel.packages()) {
            if (one.name().endsWith("-devel")) {
                return one;
            }
        }
        return null;
    }

    /** Fetches a kernel-devel package with dnf. dnf compares the package's digest with the repository's. */
    private List<Path> byDnf(OfferedKernel kernel, Path directory) throws IOException, NotDoneException {
        OfferedPackage devel = devel(kernel);
        Path dnf = ProgramSearch.find("dnf", environment);
        if (devel == null || dnf == null) {
            throw new NotDoneException("no package with the headers of this kernel is offered, or dnf is not installed;"
                    + " give the kernel-devel package: weaklink rebuild --try --kernel FILE");
        }
        String name = devel.name() + "-" + devel.version() + "." + devel.architecture();
        List<String> words = new ArrayList<>(List.of(dnf.toString(), "-q", "-y"));
        // weaklink's own plugin (dnf5: an action) would hide the package of a kernel that is held.
        words.addAll(List.of("--disableplugin=weaklink", "--disableplugin=actions"));
        words.addAll(List.of("download", "--destdir=" + directory, name));
        ExternalCommand.Result result =
                ExternalCommand.of(words, DOWNLOAD_LIMIT).run();
        List<Path> files = new ArrayList<>();
        for (String file : RootText.names(directory)) {
            files.add(directory.resolve(file));
        }
        if (!result.succeeded() || files.size() != 1 || Files.size(files.get(0)) > MAX_SIZE) {
            List<String> lines = result.lines();
            throw new NotDoneException(name + ": 'dnf download' (dnf-plugins-core) failed: "
                    + (lines.isEmpty() ? result.reason() : lines.get(lines.size() - 1)));
        }
        return files;
    }

    private List<Path> byApt(OfferedPackage headers, OfferedKernel kernel, Path directory) throws NotDoneException {
        List<OfferedPackage> packages = new ArrayList<>(List.of(headers));
        packages.addAll(kernel.sharedHeaders());
        List<InputProblem> problems = new ArrayList<>();
        List<Path> files = new HeadersDownload(environment, problems)
                .fetch(packages, PackageContents.HEADERS, fetched -> {
                    List<Path> copies = new ArrayList<>();
                    for (Path file : fetched) {
                        Path copy = directory.resolve(String.valueOf(file.getFileName()));
                        DurableFiles.copy(file, copy);
                        copies.add(copy);
                    }
                    return copies;
                });
        if (files == null) {
            InputProblem problem = problems.get(0);
            throw new NotDoneException(problem.subject() + ": " + problem.message());
        }
        return files;
    }

    private static void requireOverlay(Isolation isolation) throws NotDoneException {
        if (!isolation.canOverlay()) {
            throw new NotDoneException(
                    "to unpack headers, a trial build needs root and mount namespaces; install the headers"
                            + " package, or run weaklink as root and outside of a container");
        }
    }
}
