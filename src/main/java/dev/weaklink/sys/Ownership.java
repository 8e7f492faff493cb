package dev.weaklink.sys;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether only one user and root can have written a file or can replace it.
 *
 * @param user the number of the user
 * @param group the number of the user's private group, whose write access counts as the user's own; ignored for root
 */
public record Ownership(int user, int group) {
    private static final int ROOT = 0;

    public static Ownership ofProcess() throws IOException {
        FileStatus self = FileStatus.of(Path.of("/proc/self"));
        return new Ownership(self.owner(), self.group());
    }

    private boolean othersWrite(FileStatus status) {
        boolean foreign = user == ROOT || status.group() != group;
        return status.everybodyWrites() || status.groupWrites() && foreign;
    }

    private boolean isOwner(FileStatus status) {
        return status.owner() == user || status.owner() == ROOT;
    }

    /** Returns whether only this user and root can write to the file, or can add files to the directory. */
    public boolean isOurs(FileStatus status) {
        return isOwner(status) && !othersWrite(status);
    }

    /**
     * Returns whether only this user and root can replace this user's entries in a directory. A sticky directory such
     * as /tmp qualifies.
     */
    public boolean isFixed(FileStatus directory) {
        return isOwner(directory) && (!othersWrite(directory) || directory.isSticky());
    }

    /**
     * Returns the reason why another user may control a file; null if there is none. Only this user and root may have
     * write access to the file and its directory. Other users must not be able to replace the directories above.
     *
     * @param file a path without links
     * @throws IOException if a file's status cannot be read
     */
    public @Nullable String problem(Path file) throws IOException {
        Path parent = file.getParent();
        for (Path at : parent == null ? List.of(file) : List.of(parent, file)) {
            FileStatus status = FileStatus.of(at, LinkOption.NOFOLLOW_LINKS);
            if (!isOurs(status)) {
                return words(at, status);
            }
        }
        return parent == null ? null : placeProblem(parent);
    }

    /**
     * Returns the reason why another user can replace this user's entries in a directory or in a directory above it;
     * null if there is none.
     *
     * @param directory a path without links
     * @throws IOException if a directory's status cannot be read
     */
    public @Nullable String placeProblem(Path directory) throws IOException {
        for (Path at = directory; at != null; at = at.getParent()) {
            FileStatus status = FileStatus.of(at, LinkOption.NOFOLLOW_LINKS);
            if (!isFixed(status)) {
                return words(at, status);
            }
        }
        return null;
    }

    private String words(Path path, FileStatus status) {
        return isOwner(status) ? "other users may write to " + path : path + " belongs to user " + status.owner();
    }
}
