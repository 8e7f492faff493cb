package dev.weaklink.compat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** The real depmod's objections to the symbols of kernels, links included, by their symvers. */
final class Symvers {
    private Symvers() {}

    /** Returns the kernels that have a symvers.gz. */
    static List<String> kernels(Path modules) throws IOException {
        try (Stream<Path> kernels = Files.list(modules)) {
            return kernels.filter(kernel -> Files.exists(kernel.resolve("symvers.gz")))
                    .map(kernel -> kernel.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /**
     * Returns depmod's objections to symbols, one line each.
     *
     * @param depmod the command that runs depmod, to which options are added
     */
    static String depmodSays(List<String> depmod, Path modules, String kernel, Path scratch) throws IOException {
        Path symvers = scratch.resolve("symvers");
        try (InputStream packed = Files.newInputStream(modules.resolve(kernel + "/symvers.gz"))) {
            Files.write(symvers, new GZIPInputStream(packed).readAllBytes());
        }
        List<String> words = new ArrayList<>(depmod);
        words.addAll(List.of("-naeE", symvers.toString(), kernel));
        RealScript.Run run = RealScript.of(words.toArray(new String[0])).run(scratch, "", List.of());
        return run.err()
                .lines()
                .filter(line -> line.matches(".* (needs unknown|disagrees about version of) symbol .*"))
                .collect(Collectors.joining("\n"));
    }
}
