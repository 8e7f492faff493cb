package dev.weaklink.sys;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock between processes: the operating system's lock on a file, which ends with the process. The file's contents
 * only identify the process that holds the lock. The file is never deleted.
 */
public final class LockFile implements AutoCloseable {
    private static final long POLL_MILLIS = 50;
    private static final int MAX_HOLDER_BYTES = 4096;
    private static final int MAX_LOCKS_BYTES = 1 << 20;

    /**
     * The locks of this process. The operating system assigns locks to a process, and closing any descriptor of a file
     * drops the process's locks on this file. Therefore a second attempt in this process must not even open the file.
     */
    private static final Set<Path> OURS = new HashSet<>();

    private final Path file;
    private final FileChannel channel;

    private LockFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * The process that holds a lock, as described by itself; not verified.
     *
     * @param pid the process id, 0 if unknown
     * @param command the description of the work, or empty
     */
    public record Holder(long pid, String command) {
        static final Holder UNKNOWN = new Holder(0, "");

        /** Returns a readable description of the holder. The command is not escaped. */
        public String words() {
            if (pid == 0) {
                return "another process";
            }
            return "process " + pid + (command.isEmpty() ? "" : " (" + command + ")");
        }
    }

    /**
     * Acquires the lock. The file's directory must exist.
     *
     * @param command the description of the work for others who wait
     * @param limit the maximum time to wait
     * @param waiting receives the holder if the lock is not free, and each later holder
     * @return null if the lock was not released in time, or the thread was interrupted
     * @throws IOException if the file cannot be opened or is not a regular file
     */
    public static @Nullable LockFile acquire(Path file, String command, Duration limit, Consumer<Holder> waiting)
            throws IOException {
        long start = System.nanoTime();
        Holder said = null;
        while (true) {
            LockFile lock = attempt(file);
            if (lock != null) {
                lock.sign(command);
                return lock;
            }
            Holder holder = holder(file);
            if (!holder.equals(said)) {
                waiting.accept(holder);
                said = holder;
            }
            if (System.nanoTime() - start >= limit.toNanos() || !pause()) {
                return null;
            }
        }
    }

    /** Returns the current holder, or null if the lock is free. The file is not changed and need not exist. */
    public static @Nullable Holder heldBy(Path file) {
        synchronized (OURS) {
            if (!OURS.contains(file) && isFree(file)) {
                return null;
            }
        }
        return holder(file);
    }

    private static boolean isFree(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            return channel.tryLock(0, Long.MAX_VALUE, true) != null;
        } catch (AccessDeniedException e) {
            return !isListed(file);
        } catch (IOException e) {
            return true;
        }
    }

    /** Returns whether the kernel lists a lock on the file: proc_locks(5), by inode number. */
    private static boolean isListed(Path file) {
        try {
            Object inode = Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
            return RootText.read(Path.of("/proc/locks"), MAX_LOCKS_BYTES).contains(":" + inode + " ");
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable LockFile attempt(Path file) throws IOException {
        synchronized (OURS) {
            if (OURS.contains(file)) {
                return null;
            }
            FileChannel channel = open(file);
            FileLock lock = lock(channel);
            if (lock == null) {
                channel.close();
                return null;
            }
            OURS.add(file);
            return new LockFile(file, channel);
        }
    }

    private static FileChannel open(Path file) throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(file.toString(), null, "not a regular file");
        }
        // Only the owner may open the file: a user who can read it could also lock it and block everyone else.
        return FileChannel.open(
                file,
                Set.of(
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                DurableFiles.PRIVATE);
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    public void sign(String command) {
        ProcessHandle self = ProcessHandle.current();
        Instant since = self.info().startInstant().orElse(Instant.EPOCH);
        String line = command.replace('\n', ' ');
        String text = self.pid() + "\n" + since.toEpochMilli() + "\n" + line + "\n";
        try {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
        } catch (IOException e) {
            // On a full disk, the lock still works; only its holder is unknown to others.
        }
    }

    static Holder holder(Path file) {
        synchronized (OURS) {
            if (OURS.contains(file)) {
                return new Holder(ProcessHandle.current().pid(), "");
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                ByteBuffer bytes = ByteBuffer.allocate(MAX_HOLDER_BYTES);
                channel.read(bytes, 0);
                return parse(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                return Holder.UNKNOWN;
            }
        }
    }

    private static Holder parse(String text) {
        int first = text.indexOf('\n');
        int second = text.indexOf('\n', first + 1);
        int third = text.indexOf('\n', second + 1);
        if (first < 0 || second < 0) {
            return Holder.UNKNOWN;
        }
        try {
            long pid = Long.parseLong(text.substring(0, first));
            String command = text.substring(second + 1, third < 0 ? text.length() : third);
            return new Holder(pid, command);
        } catch (NumberFormatException e) {
            return Holder.UNKNOWN;
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(POLL_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        synchronized (OURS) {
            try {
                channel.truncate(0);
            } catch (IOException e) {
                // The holder's name in the file is only informational.
            }
            try {
                channel.close();
            } catch (IOException e) {
                // Closing failed; there is no way to recover.
            }
            OURS.remove(file);
        }
    }
}
