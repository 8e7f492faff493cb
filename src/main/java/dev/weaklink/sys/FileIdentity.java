package dev.weaklink.sys;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a file's contents at one time. A file that is written, truncated, replaced or renamed gets another
 * identity, even if its name and modification time are restored. In some cases this is not certain; see
 * {@link #isSettled}.
 *
 * @param device the number of the file system
 * @param inode the inode number
 * @param size the size in bytes
 * @param modified the time of the last modification in nanoseconds since 1970
 * @param changed the time of the last status change in nanoseconds since 1970; programs cannot set this time
 */
public record FileIdentity(long device, long inode, long size, long modified, long changed) {
    private static final long NANOS = 1_000_000_000L;

    /**
     * The nanoseconds within which two writes may have equal time stamps, because some file systems store whole
     * seconds.
     */
    private static final long GRANULARITY = 2 * NANOS;

    /**
     * Returns the identity of a regular file; null for any other kind of file. Links are followed, unless an option
     * forbids it.
     *
     * @throws IOException if the file does not exist or its status cannot be read
     */
    public static @Nullable FileIdentity of(Path file, LinkOption... options) throws IOException {
        FileStatus status = FileStatus.of(file, options);
        return status.isRegular() ? status.identity() : null;
    }

    public static @Nullable FileIdentity ofOrNull(Path file) {
        try {
            return of(file);
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    // The methods generated for records would need more time at start-up than a small check.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FileIdentity that
                && device == that.device
                && inode == that.inode
                && size == that.size
                && modified == that.modified
                && changed == that.changed;
    }

    @Override
    public int hashCode() {
        long mixed = ((device * 31 + inode) * 31 + size) * 31 + modified ^ changed;
        return Long.hashCode(mixed);
    }

    /**
     * Returns whether this identity is certain to change if the contents change after {@code now}. The result is false
     * shortly after a change, because the next change could have the same time stamp. The result is also false for a
     * status change at a full second, because a file system image (squashfs, erofs, iso9660) may contain a constant
     * time.
     *
     * @param now the time in nanoseconds since 1970 before the status was read
     */
    public boolean isSettled(long now) {
        return changed % NANOS != 0
                && changed < now - GRANULARITY
                && modified < now - GRANULARITY
                && modified != Long.MIN_VALUE;
    }
}
