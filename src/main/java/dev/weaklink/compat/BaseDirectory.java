package dev.weaklink.compat;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The tree that is worked on, and how its paths are spelt by the caller: with the directory in front, as weak-modules
 * has them in its links.
 */
final class BaseDirectory {
    private final Root root;
    private final String prefix;

    private BaseDirectory(Root root, String prefix) {
        this.root = root;
        this.prefix = prefix;
    }

    /** The running system's tree. */
    static BaseDirectory host() {
        return new BaseDirectory(Root.HOST, "");
    }

    /**
     * The tree below a directory.
     *
     * @throws IOException if it is no directory
     */
    static BaseDirectory of(Path directory) throws IOException {
        Root root = Root.of(directory);
        String spelt = PathFormat.clean(directory.toString());
        return new BaseDirectory(root, root.isHost() ? "" : spelt);
    }

    Root root() {
        return root;
    }

    /** The directory as given, absolute; empty for the running system. */
    String prefix() {
        return prefix;
    }

    /** How the caller spells a path inside the tree. */
    String spelt(String inside) {
        return prefix + inside;
    }

    /** The path inside the tree of one that may be spelt with the directory in front. */
    String inside(String path) {
        boolean below = path.startsWith(prefix) && path.startsWith("/", prefix.length());
        return below ? path.substring(prefix.length()) : path;
    }

    /**
     * The file behind a path, links followed inside the tree.
     *
     * @throws IOException if the links run in circles
     */
    Path host(String path) throws IOException {
        return root.resolve(inside(path));
    }

    /** Whether there is a file at the end of a path. */
    boolean exists(String path) {
        try {
            return Files.exists(host(path));
        } catch (IOException e) {
            return false;
        }
    }
}
