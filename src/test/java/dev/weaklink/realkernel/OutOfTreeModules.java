package dev.weaklink.realkernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Builds test-fixtures/modules against installed kernel headers. */
final class OutOfTreeModules {
    private static final Path SCRIPT = Path.of("test-fixtures/modules/build.sh").toAbsolutePath();

    private final Path output;

    private OutOfTreeModules(Path output) {
        this.output = output;
    }

    /** Returns the modules built for this release; empty if the headers are not installed. */
    static Optional<OutOfTreeModules> builtFor(String release) throws IOException, InterruptedException {
        Path headers = Path.of("/usr/src/linux-headers-" + release);
        if (!Files.exists(headers.resolve("Makefile"))) {
            return Optional.empty();
        }
        Path output = Report.DIRECTORY.resolve("oot-" + release);
        Files.createDirectories(output);
        Path log = output.resolve("build.log");
        int exitCode = new ProcessBuilder("bash", SCRIPT.toString(), headers.toString(), output.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new AssertionError("building modules for " + release + ":\n" + Files.readString(log));
        }
        return Optional.of(new OutOfTreeModules(output));
    }

    /** Returns the built file with this name. */
    Path file(String fileName) throws IOException {
        try (Stream<Path> walk = Files.walk(output)) {
            return walk.filter(path -> path.getFileName().toString().equals(fileName))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("the build left no " + fileName));
        }
    }
}
