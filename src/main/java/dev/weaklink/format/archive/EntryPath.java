package dev.weaklink.format.archive;

import org.jspecify.annotations.Nullable;

final class EntryPath {
    private static final int MAX_LENGTH = 4096;

    /**
     * The maximum number of components of a path. Real paths have a dozen; code that visits all directories of a path
     * takes time for each component.
     */
    private static final int MAX_COMPONENTS = 128;

    private EntryPath() {}

    /**
     * Returns the name as an absolute path without {@code .} and empty components: {@code ./lib//m.ko} and
     * {@code /lib/m.ko} become {@code /lib/m.ko}.
     *
     * @return {@code /} for an empty name; null for a name that no honest archive contains: with {@code ..} or NUL, too
     *     long or too deep
     */
    static @Nullable String of(String name) {
        if (name.length() > MAX_LENGTH || name.indexOf('\0') >= 0) {
            return null;
        }
        StringBuilder path = new StringBuilder(name.length() + 1);
        int start = 0;
        int components = 0;
        while (start < name.length()) {
            int slash = name.indexOf('/', start);
            int end = slash < 0 ? name.length() : slash;
            int length = end - start;
            boolean dot = length == 1 && name.charAt(start) == '.';
            if (length == 2 && name.startsWith("..", start)) {
                return null;
            }
            if (length > 0 && !dot) {
                if (++components > MAX_COMPONENTS) {
                    return null;
                }
                path.append('/').append(name, start, end);
            }
            start = end + 1;
        }
        return path.length() == 0 ? "/" : path.toString();
    }
}
