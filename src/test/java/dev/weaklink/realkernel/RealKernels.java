package dev.weaklink.realkernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Real kernels by release. {@code src/test/scripts/kernels.sh} fetches each kernel once into the directory
 * {@code -Dweaklink.kernels} (default {@code target/real-kernels}). Existing trees are used unchanged.
 */
final class RealKernels {
    private static final Path SCRIPT = Path.of("src/test/scripts/kernels.sh").toAbsolutePath();
    private static final int NOT_IN_INDEX = 3;

    private final Path directory;

    private RealKernels(Path directory) {
        this.directory = directory;
    }

    static RealKernels atDefault() {
        String given = System.getProperty("weaklink.kernels", "");
        return new RealKernels(given.isEmpty() ? Report.FETCHED : Path.of(given).toAbsolutePath());
    }

    /** Returns the kernel with this release; empty if the package index no longer has it. */
    Optional<Kernel> find(String release) {
        return find(release, DebianArch.AMD64);
    }

    /** Returns the kernel with this release for another architecture. */
    Optional<Kernel> find(String release, DebianArch arch) {
        return ask("get", release, arch).map(tree -> new Kernel(release, Path.of(tree)));
    }

    /** Returns the newest kernel of an architecture that has a {@code Module.symvers}. */
    Optional<Kernel> newest(DebianArch arch) {
        return ask("newest", arch.flavour(), arch).flatMap(release -> find(release, arch));
    }

    /**
     * Returns the file of an amd64 package, not unpacked, from {@code -Dweaklink.debs} (default {@code debs} below the
     * kernels). Returns empty if the package index no longer has the package.
     */
    Optional<Path> packageFile(String name) {
        String given = System.getProperty("weaklink.debs", "");
        Path debs = given.isEmpty() ? directory.resolve("debs") : Path.of(given).toAbsolutePath();
        return ask("package", debs, name, DebianArch.AMD64).map(Path::of);
    }

    private Optional<String> ask(String verb, String subject, DebianArch arch) {
        return ask(verb, directory, subject, arch);
    }

    private static Optional<String> ask(String verb, Path below, String subject, DebianArch arch) {
        List<String> command = List.of("bash", SCRIPT.toString(), verb, below.toString(), subject, arch.listsOf());
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String answer = new String(process.getInputStream().readAllBytes()).strip();
            int exitCode = process.waitFor();
            if (exitCode == NOT_IN_INDEX) {
                return Optional.empty();
            }
            if (exitCode != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": exit code " + exitCode);
            }
            return Optional.of(answer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while fetching " + subject, e);
        }
    }
}
