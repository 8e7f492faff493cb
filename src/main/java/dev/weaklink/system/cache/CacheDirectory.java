package dev.weaklink.system.cache;

import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.Ownership;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directory with the files of the cache. The directory and its files must belong to the user who runs weaklink.
 * Only this user and root may be able to write to the files or to replace the directory. Otherwise the cache counts as
 * empty. Files are created by renaming, so that concurrent programs never see an incomplete file.
 */
final class CacheDirectory {
    static final String ENDING = ".facts";
    private static final String TEMPORARY = ".tmp";
    private static final int NO_GROUP = -1;
    private static final long FORGOTTEN_MILLIS = 3_600_000;

    private static final int CHUNK = 1 << 16;

    private final Path directory;
    private final int user;
    private final long limit;
    private final int largest;

    /**
     * Creates an instance for a directory that need not exist yet.
     *
     * @param user the user ID of the user who must own the directory
     * @param limit the maximum size in bytes of all files together
     * @param largest the maximum size in bytes of one file
     */
    CacheDirectory(Path directory, int user, long limit, int largest) {
        this.directory = directory;
        this.user = user;
        this.limit = limit;
        this.largest = largest;
    }

    /** Returns the contents of a file; null if the file cannot be read, is too large or is not trusted. */
    byte @Nullable [] read(String name) {
        try {
            Path real = trustedPlace();
            if (real == null) {
                return null;
            }
            Path file = real.resolve(name + ENDING);
            FileStatus status = FileStatus.of(file, LinkOption.NOFOLLOW_LINKS);
            long size = status.identity().size();
            boolean usable = status.isRegular() && isOurs(status) && size <= largest;
            return usable ? contents(file, (int) size) : null;
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    private @Nullable Path trustedPlace() throws IOException {
        Path above = directory.getParent();
        Path name = directory.getFileName();
        if (above == null || name == null) {
            return null;
        }
        Path real = above.toRealPath().resolve(name);
        if (new Ownership(user, NO_GROUP).placeProblem(real.resolveSibling("")) != null) {
            return null;
        }
        FileStatus status = FileStatus.of(real, LinkOption.NOFOLLOW_LINKS);
        return status.isDirectory() && isOurs(status) ? real : null;
    }

    private boolean isOurs(FileStatus status) {
        return status.owner() == user && !status.othersWrite();
    }

    private static byte @Nullable [] contents(Path file, int size) throws IOException {
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            byte[] bytes = new byte[size];
            return in.readNBytes(bytes, 0, size) == size ? bytes : null;
        }
    }

    /**
     * Replaces a file, and deletes the oldest files if the limit is exceeded. Does nothing if the contents exceed the
     * maximum size of a file.
     *
     * @throws IOException if the file cannot be written or the directory is not trusted
     */
    void write(String name, byte[] contents) throws IOException {
        if (contents.length > largest) {
            return;
        }
        makeDirectories();
        Path real = trustedPlace();
        if (real == null) {
            throw new IOException("another user could write to " + directory);
        }
        Path temporary = Files.createTempFile(real, name + ".", TEMPORARY, permissions("rw-------"));
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(contents);
                while (bytes.position() < contents.length) {
                    // the JVM copies each chunk to memory outside of the heap
                    channel.write(bytes.limit(Math.min(contents.length, bytes.position() + CHUNK)));
                }
            }
            Files.move(temporary, real.resolve(name + ENDING), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw e;
        }
        prune(real, name + ENDING);
    }

    /** Creates missing directories. Other users may read the parents, but not the directory itself. */
    private void makeDirectories() throws IOException {
        Path above = directory.getParent();
        if (above != null) {
            Files.createDirectories(above, permissions("rwxr-xr-x"));
        }
        Files.createDirectories(directory, permissions("rwx------"));
    }

    private static FileAttribute<?> permissions(String symbolic) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(symbolic));
    }

    private record Old(Path file, long size, long time) {}

    private void prune(Path real, String newest) throws IOException {
        List<Old> files = new ArrayList<>();
        long total = 0;
        try (DirectoryStream<Path> listed = Files.newDirectoryStream(real)) {
            for (Path file : listed) {
                String name = String.valueOf(file.getFileName());
                long time = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                        .toMillis();
                if (name.endsWith(ENDING)) {
                    long size = Files.size(file);
                    total += size;
                    if (!name.equals(newest)) {
                        files.add(new Old(file, size, time));
                    }
                } else if (name.endsWith(TEMPORARY) && time < System.currentTimeMillis() - FORGOTTEN_MILLIS) {
                    Files.deleteIfExists(file);
                }
            }
        }
        files.sort(Comparator.comparingLong(Old::time));
        for (Old old : files) {
            if (total > limit) {
                Files.deleteIfExists(old.file());
                total -= old.size();
            }
        }
    }
}
