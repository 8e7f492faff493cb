package dev.weaklink.fuzz;

import dev.weaklink.testing.FuzzTarget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What Jazzer calls; the system property weaklink.fuzz names the reader. */
public final class Fuzz {
    private static @Nullable FuzzTarget target;

    private Fuzz() {}

    /** Called by Jazzer before the first input. */
    public static void fuzzerInitialize() {
        target = Objects.requireNonNull(FuzzTargets.ALL.get(System.getProperty("weaklink.fuzz")))
                .get();
    }

    /** Called by Jazzer for every input. */
    public static void fuzzerTestOneInput(byte[] bytes) throws Exception {
        Objects.requireNonNull(target).take(bytes);
    }

    /** Writes the seeds of every reader into a directory of its name, and prints the names. */
    public static void main(String[] args) throws Exception {
        for (var entry : FuzzTargets.ALL.entrySet()) {
            Path directory = Files.createDirectories(Path.of(args[0], entry.getKey()));
            List<byte[]> seeds = entry.getValue().get().seeds();
            for (int i = 0; i < seeds.size(); i++) {
                Files.write(directory.resolve("seed-" + i), seeds.get(i));
            }
            System.out.println(entry.getKey());
        }
    }
}
