package dev.weaklink.system;

import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A private copy of the rpm database's files in a temporary directory. {@link #close} deletes the copy. */
public final class DatabaseCopy implements AutoCloseable {
    /**
     * The maximum total size in bytes; the database of a server with thousands of packages has some hundred megabytes.
     */
    private static final long MAX_BYTES = 4L << 30;

    private final Path directory;

    private DatabaseCopy(Path directory) {
        this.directory = directory;
    }

    /**
     * Copies the regular files of a directory, except locks and shared memory, which are only valid in place.
     *
     * @throws IOException if the files cannot be read or are larger than the limit
     */
    static DatabaseCopy of(Path original) throws IOException {
        DatabaseCopy copy = new DatabaseCopy(Files.createTempDirectory("weaklink-rpmdb"));
        try {
            copy.fill(original);
            return copy;
        } catch (IOException e) {
            copy.close();
            throw e;
        }
    }

    private void fill(Path original) throws IOException {
        long left = MAX_BYTES;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(original)) {
            for (Path file : files) {
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !isOfRunningPrograms(file)) {
                    left -= copy(file, left);
                }
            }
        }
    }

    /** Copies from the open file descriptor, so that a symlink swapped in meanwhile is never followed. */
    private long copy(Path file, long most) throws IOException {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
                FileChannel out = FileChannel.open(
                        directory.resolve(file.getFileName()),
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE_NEW)) {
            long size = in.size();
            if (size > most) {
                throw new IOException("the database's files are larger than " + (MAX_BYTES >> 30) + " GiB in total");
            }
            long copied = 0;
            while (copied < size) {
                long count = out.transferFrom(in, copied, size - copied);
                if (count <= 0) {
                    throw new IOException(file + ": became shorter while it was copied");
                }
                copied += count;
            }
            return size;
        }
    }

    /**
     * Returns whether the file belongs to running programs: Berkeley DB's environment, SQLite's shared memory, or a
     * lock.
     */
    private static boolean isOfRunningPrograms(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith("__db.") || name.endsWith(".lock") || name.endsWith("-shm");
    }

    public Path directory() {
        return directory;
    }

    @Override
    public void close() throws IOException {
        DurableFiles.deleteTree(directory);
    }
}
