package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Manifest;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rebuild that was begun.
 *
 * @param name the run as {@code KERNEL/N}
 * @param time the time of the last change of the run's record, or of its directory if there is no record
 * @param manifest the run's record; null if it is missing or cannot be read
 * @param going true if the run is still running
 * @param log the file with the output of the build; null if there is none
 */
public record PastRun(
        String name,
        Instant time,
        @Nullable Manifest manifest,
        boolean going,
        @Nullable Path log) {
    /**
     * Returns the runs that are kept below a root, from old to new.
     *
     * @throws IOException if their directory cannot be listed
     */
    public static List<PastRun> read(Root root) throws IOException {
        List<PastRun> runs = new ArrayList<>();
        for (String kernel : RunDirectory.kernels(root)) {
            boolean isLocked = LockFile.heldBy(RunDirectory.lock(root, kernel)) != null;
            List<Path> directories = RunDirectory.newestFirst(root, kernel);
            for (Path directory : directories) {
                runs.add(of(directory, isLocked && directory.equals(directories.get(0))));
            }
        }
        runs.sort(Comparator.comparing(PastRun::time).thenComparing(PastRun::name));
        return runs;
    }

    private static PastRun of(Path directory, boolean isNewestOfLocked) throws IOException {
        Path record = directory.resolve("manifest.json");
        boolean isRecorded = Files.isRegularFile(record, LinkOption.NOFOLLOW_LINKS);
        Path dated = isRecorded ? record : directory;
        Instant time =
                Files.getLastModifiedTime(dated, LinkOption.NOFOLLOW_LINKS).toInstant();
        Manifest manifest = EarlierRuns.read(record);
        boolean isUnended = manifest == null ? !isRecorded : manifest.state() == Manifest.RunState.RUNNING;
        Path log = directory.resolve("log");
        boolean isLogged = Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS);
        return new PastRun(
                RunDirectory.name(directory), time, manifest, isNewestOfLocked && isUnended, isLogged ? log : null);
    }
}
