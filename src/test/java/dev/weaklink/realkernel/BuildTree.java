package dev.weaklink.realkernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The build tree of a kernel, as Debian's linux-headers packages install it.
 *
 * @param release the kernel's release, such as 6.1.0-53-amd64
 */
record BuildTree(String release, Path directory) {

    /** Returns the first of these kernels whose headers are installed. */
    static Optional<BuildTree> first(String... releases) {
        return Arrays.stream(releases)
                .map(release -> new BuildTree(release, Path.of("/usr/src/linux-headers-" + release)))
                .filter(tree -> Files.exists(tree.directory().resolve("Makefile")))
                .findFirst();
    }

    /** Returns the build tree of one kernel; skips the running test if the headers are not installed. */
    static BuildTree orSkip(String release) {
        Optional<BuildTree> tree = first(release);
        assumeTrue(tree.isPresent(), "linux-headers-" + release + " is not installed");
        return tree.orElseThrow();
    }
}
