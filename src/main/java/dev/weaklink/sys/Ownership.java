package dev.weaklink.sys;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether nobody but one user and root can have written a file, or can put another in its place.
 *
 * @param user number of the user
 * @param group number of a group that is this user's own; root has none
 */
public record Ownership(int user, int group) {
    private static final int ROOT = 0;

    /** Of who runs this program. */
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

    /** Whether nobody else can have written it; of a directory, whether nobody puts files into it. */
    public boolean isOurs(FileStatus status) {
        return isOwner(status) && !othersWrite(status);
    }

    /** Whether what is ours in a directory stays there, as it does in /tmp. */
    public boolean isFixed(FileStatus directory) {
        return isOwner(directory) && (!othersWrite(directory) || directory.isSticky());
    }

    /**
     * Why a file may be somebody else's; null if it is ours, its directory too, and every directory above keeps what is
     * in it. A path that is all right stays so: nobody else can change that.
     *
     * @param file a path without links
     * @throws IOException if it cannot be looked at
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
     * Why somebody else can put another directory in the place of one that is made there; null if nobody can.
     *
     * @param directory a path without links
     * @throws IOException if it cannot be looked at
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
        return isOwner(status) ? "others may write to " + path : path + " belongs to user " + status.owner();
    }
}
