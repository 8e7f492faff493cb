package dev.weaklink.links.transaction;

import org.jspecify.annotations.Nullable;

/**
 * What a transaction does to one path: to a link, a file, or a directory, which it makes or removes.
 *
 * @param path as seen from inside the root
 */
public record PathChange(String path, PathState before, PathState after) {
    public PathChange {
        if (before.equals(after) || isMixed(before, after)) {
            throw new IllegalArgumentException("no change of a link, a file or a directory: " + path);
        }
    }

    /** A directory takes no other's place, and no other takes its place. */
    private static boolean isMixed(PathState before, PathState after) {
        return !(before instanceof PathState.Absent)
                && !(after instanceof PathState.Absent)
                && (before instanceof PathState.Directory || after instanceof PathState.Directory);
    }

    /**
     * This and a later change of the same path as one; the later one if somebody changed the path in between, null if
     * it is as it was before.
     */
    @Nullable
    PathChange then(PathChange later) {
        if (!after.equals(later.before) || isMixed(before, later.after)) {
            return later;
        }
        return before.equals(later.after) ? null : new PathChange(path, before, later.after);
    }

    /** Whether this is about a link and no file. */
    public boolean isLink() {
        return !isDirectory() && !isFile();
    }

    /** What a link that is there afterwards leads to; null if none is. */
    public @Nullable String target() {
        return after instanceof PathState.Link link ? link.target() : null;
    }

    /** Whether this is about a file, which may take the place of a link. */
    public boolean isFile() {
        return before instanceof PathState.File || after instanceof PathState.File;
    }

    /** Whether this is about a directory. */
    public boolean isDirectory() {
        return before instanceof PathState.Directory || after instanceof PathState.Directory;
    }

    /** Whether nothing is there before and something afterwards. */
    boolean makes() {
        return before instanceof PathState.Absent;
    }

    /** Whether something is there before and nothing afterwards. */
    public boolean removes() {
        return after instanceof PathState.Absent;
    }

    /** What is at a path, as far as transactions deal with it. */
    public sealed interface PathState {
        /** Nothing is there. */
        PathState ABSENT = new Absent();

        /** Nothing. */
        record Absent() implements PathState {}

        /** A symbolic link with this text. */
        record Link(String target) implements PathState {}

        /**
         * A regular file.
         *
         * @param sha256 of its content, in hex
         * @param mode its permission bits
         * @param lines how many it has if it is a text; 0 if it is a module
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
         * @param mode its permission bits
         */
        record Directory(int mode) implements PathState {
            public Directory {
                checkMode(mode);
            }
        }

        private static void checkMode(int mode) {
            if ((mode & ~07777) != 0) {
                throw new IllegalArgumentException("not permission bits: " + mode);
            }
        }
    }
}
