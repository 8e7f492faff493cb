package dev.weaklink.links.transaction;

import org.jspecify.annotations.Nullable;

/**
 * A change that a transaction makes to the link, file or directory at one path.
 *
 * @param path the path, as seen inside the root directory
 */
public record PathChange(String path, PathState before, PathState after) {
    public PathChange {
        if (before.equals(after) || isMixed(before, after)) {
            throw new IllegalArgumentException("invalid change of a link, a file or a directory: " + path);
        }
    }

    private static boolean isMixed(PathState before, PathState after) {
        return !(before instanceof PathState.Absent)
                && !(after instanceof PathState.Absent)
                && (before instanceof PathState.Directory || after instanceof PathState.Directory);
    }

    /**
     * Returns this change and a later change of the same path as one change. Returns null if the path has its first
     * state again. Returns only the later change if the path was changed in between, or if the merged change would be
     * invalid.
     */
    @Nullable
    PathChange then(PathChange later) {
        if (!after.equals(later.before) || isMixed(before, later.after)) {
            return later;
        }
        return before.equals(later.after) ? null : new PathChange(path, before, later.after);
    }

    public boolean isLink() {
        return !isDirectory() && !isFile();
    }

    /** Returns the link's target after the transaction, or null if the path will not be a link. */
    public @Nullable String target() {
        return after instanceof PathState.Link link ? link.target() : null;
    }

    /** Returns whether the path is a file before or after the change; the other state may be a link. */
    public boolean isFile() {
        return before instanceof PathState.File || after instanceof PathState.File;
    }

    public boolean isDirectory() {
        return before instanceof PathState.Directory || after instanceof PathState.Directory;
    }

    boolean makes() {
        return before instanceof PathState.Absent;
    }

    public boolean removes() {
        return after instanceof PathState.Absent;
    }

    public sealed interface PathState {
        PathState ABSENT = new Absent();

        record Absent() implements PathState {}

        record Link(String target) implements PathState {}

        /**
         * A regular file.
         *
         * @param sha256 the SHA-256 digest of the content, in hex
         * @param mode the permission bits
         * @param lines the number of lines of a text file; 0 for a module
         */
        record File(String sha256, int mode, int lines) implements PathState {
            private static final int HEX_DIGITS = 64;

            public File {
                checkMode(mode);
                for (int i = 0; i < sha256.length(); i++) {
                    if ("0123456789abcdef".indexOf(sha256.charAt(i)) < 0) {
                        throw new IllegalArgumentException("not a digest");
                    }
                }
                if (sha256.length() != HEX_DIGITS) {
                    throw new IllegalArgumentException("not a digest");
                }
            }
        }

        /**
         * A directory.
         *
         * @param mode the permission bits
         */
        record Directory(int mode) implements PathState {
            public Directory {
                checkMode(mode);
            }
        }

        private static void checkMode(int mode) {
            if ((mode & ~0777) != 0) {
                throw new IllegalArgumentException("not permission bits: " + mode);
            }
        }
    }
}
