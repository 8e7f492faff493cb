package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the records of earlier runs, for any kernel. */
final class EarlierRuns {
    private static final int LIMIT = 64 << 20;

    private EarlierRuns() {}

    /**
     * Returns the names of the modules in the last successful build of the same product; empty if there is no record.
     *
     * @param backend the id of the backend that built the product
     * @param subject the product, as in {@link RunRecord#subject}
     */
    static Set<String> modules(Root root, String backend, String subject) throws IOException {
        if (subject.isEmpty()) {
            return Set.of();
        }
        Set<String> modules = Set.of();
        FileTime last = FileTime.fromMillis(0);
        for (String kernel : RunDirectory.kernels(root)) {
            for (Path directory : RunDirectory.newestFirst(root, kernel)) {
                Path manifest = directory.resolve("manifest.json");
                Manifest run = read(manifest);
                if (run == null || !isBuildOf(run, backend, subject)) {
                    continue;
                }
                FileTime time = Files.getLastModifiedTime(manifest, LinkOption.NOFOLLOW_LINKS);
                if (time.compareTo(last) >= 0) {
                    modules = BuiltModule.names(run.modules());
                    last = time;
                }
            }
        }
        return modules;
    }

    /** Reads a run's manifest; returns null if it is missing or unreadable. */
    static @Nullable Manifest read(Path manifest) {
        if (!Files.isRegularFile(manifest, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try (InputStream in = Files.newInputStream(manifest)) {
            return ManifestJson.read(in.readNBytes(LIMIT));
        } catch (IOException e) {
            return null;
        }
    }

    private static boolean isBuildOf(Manifest run, String backend, String subject) {
        boolean mlnx = backend.startsWith("mlnx") && run.backend().startsWith("mlnx");
        return run.state() == Manifest.RunState.BUILT
                && (mlnx || run.backend().equals(backend))
                && subject.equals(run.inputs().get("subject"));
    }
}
