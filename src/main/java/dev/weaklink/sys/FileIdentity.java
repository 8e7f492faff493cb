package dev.weaklink.sys;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What identifies a file's contents at one time: a file written, truncated, replaced or renamed has another identity
 * afterwards, whatever it is called and wherever its modification time is set to.
 *
 * @param device number of its file system
 * @param inode its number there
 * @param size in bytes
 * @param modified time of its last modification, nanoseconds since 1970
 * @param changed time of its last change of status, which no program can set, likewise
 */
public record FileIdentity(long device, long inode, long size, long modified, long changed) {
    private static final long NANOS = 1_000_000_000L;

    /** Two writes closer than this may leave the same time; coarse file systems know whole seconds. */
    private static final long GRANULARITY = 2 * NANOS;

    /**
     * The identity of a regular file, links followed; null for anything else.
     *
     * @throws IOException if there is no such file or it cannot be checked
     */
    public static @Nullable FileIdentity of(Path file, LinkOption... options) throws IOException {
        FileStatus status = FileStatus.of(file, options);
        return status.isRegular() ? status.identity() : null;
    }

    /** As {@link #of}, null also if it cannot be checked. */
    public static @Nullable FileIdentity ofOrNull(Path file) {
        try {
            return of(file);
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    // The ones a record gets by itself take longer to start than a small check.

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
     * Whether contents read after {@code now} belong to this identity for good: a file that had just been changed could
     * be changed again within the granularity of its time stamps. A change of status at a full second is no time at all
     * but a number from an image (squashfs, erofs, iso9660) that may have been built again with the same numbers and
     * other contents.
     *
     * @param now nanoseconds since 1970, taken before the file was looked at
     */
    public boolean isSettled(long now) {
        return changed % NANOS != 0
                && changed < now - GRANULARITY
                && modified < now - GRANULARITY
                && modified != Long.MIN_VALUE;
    }
}
