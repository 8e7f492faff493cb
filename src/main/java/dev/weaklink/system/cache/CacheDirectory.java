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
 * The directory segments lie in. It must belong to the user who runs the program, and so must every file in it, and
 * nobody else but the superuser may be able to write to them or to put another directory in its place; otherwise it is
 * as if nothing were there. Files come in whole, by renaming, so that programs that run at once never see half of one.
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
     * A directory that need not exist yet.
     *
     * @param user number of the user who must own it
     * @param limit bytes that its files may have in all
     * @param largest bytes that one file may have
     */
    CacheDirectory(Path directory, int user, long limit, int largest) {
        this.directory = directory;
        this.user = user;
        this.limit = limit;
        this.largest = largest;
    }

    /** Contents of a file, null if it is not there or not to be trusted. */
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

    /** The directory without links on the way to it, null if it is not to be trusted. */
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

    /** Whether nobody else could have written it. */
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
     * Puts a file in place of any of that name, and drops the oldest ones if they have become too many.
     *
     * @throws IOException if that cannot be done, also because the directory is not to be trusted
     */
    void write(String name, byte[] contents) throws IOException {
        if (contents.length > largest) {
            return;
        }
        makeDirectories();
        Path real = trustedPlace();
        if (real == null) {
            throw new IOException("not ours alone: " + directory);
        }
        Path temporary = Files.createTempFile(real, name + ".", TEMPORARY, permissions("rw-------"));
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(contents);
                while (bytes.position() < contents.length) {
                    // of what it is given at once, the JVM makes a copy outside of the heap
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

    /** Others may look into what is above, but there is nothing for them in the directory itself. */
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

    /** Drops the oldest files until the rest is within the limit, and what killed programs left. */
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
