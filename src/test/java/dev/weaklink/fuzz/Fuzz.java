package dev.weaklink.fuzz;

import dev.weaklink.testing.FuzzTarget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The entry points for Jazzer. The system property weaklink.fuzz names the reader to test. */
public final class Fuzz {
    private static @Nullable FuzzTarget target;

    private Fuzz() {}

    public static void fuzzerInitialize() {
        target = Objects.requireNonNull(FuzzTargets.ALL.get(System.getProperty("weaklink.fuzz")))
                .get();
    }

    public static void fuzzerTestOneInput(byte[] bytes) throws Exception {
        Objects.requireNonNull(target).take(bytes);
    }

    /** Writes the seeds of each reader into a directory with the reader's name, and prints the names. */
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
