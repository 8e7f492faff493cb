package dev.weaklink.rebuild.run;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The limits on the disk space of a trial build. A trial may use 8 GiB and a million files, and must leave 1 GiB of the
 * file system free. If less than 2 GiB are free when the trial starts, the trial must leave half of the free space.
 */
final class TrialDisk implements Supervisor.DiskWatch {
    private static final long LIMIT = 8L << 30;
    private static final long RESERVE = 1L << 30;
    private static final int MOST_FILES = 1_000_000;

    /** The minimum time between two counts of all files, in nanoseconds. */
    private static final long COUNT_EVERY = TimeUnit.SECONDS.toNanos(10);

    private final Path scratch;
    private final long reserve;
    private long counted = System.nanoTime();

    TrialDisk(Path scratch) {
        this.scratch = scratch;
        Path parent = scratch.getParent();
        this.reserve = Math.min(RESERVE, free(parent == null ? scratch : parent) / 2);
    }

    private static long free(Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public boolean isExceeded() {
        if (free(scratch) < reserve) {
            return true;
        }
        if (System.nanoTime() - counted < COUNT_EVERY) {
            return false;
        }
        boolean isExceeded = new Count().of(scratch);
        counted = System.nanoTime();
        return isExceeded;
    }

    /**
     * A count of files and their bytes, which ends at the limits. A file that vanishes or cannot be read does not end
     * the count.
     */
    private static final class Count extends SimpleFileVisitor<Path> {
        private long bytes;
        private int files;

        boolean of(Path directory) {
            try {
                Files.walkFileTree(directory, this);
            } catch (IOException e) {
                return false;
            }
            return bytes > LIMIT || files > MOST_FILES;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            bytes += attributes.size();
            files++;
            return bytes > LIMIT || files > MOST_FILES ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
            return FileVisitResult.CONTINUE;
        }
    }
}
