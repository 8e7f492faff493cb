package dev.weaklink.realkernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * What modules for a kernel are built with, as Debian's linux-headers packages install it.
 *
 * @param release such as 6.1.0-53-amd64
 */
record BuildTree(String release, Path directory) {

    /** The first of these kernels whose headers are installed. */
    static Optional<BuildTree> first(String... releases) {
        return Arrays.stream(releases)
                .map(release -> new BuildTree(release, Path.of("/usr/src/linux-headers-" + release)))
                .filter(tree -> Files.exists(tree.directory().resolve("Makefile")))
                .findFirst();
    }

    /** The same for one kernel, but skips the running test if there are none. */
    static BuildTree orSkip(String release) {
        Optional<BuildTree> tree = first(release);
        assumeTrue(tree.isPresent(), "linux-headers-" + release + " is not installed");
        return tree.orElseThrow();
    }
}
