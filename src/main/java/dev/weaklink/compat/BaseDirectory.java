package dev.weaklink.compat;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The root directory that weak-modules or weak-modules2 works on. The caller may write a path with or without this
 * directory at its start. weak-modules includes the directory in the targets of links, like the original.
 */
final class BaseDirectory {
    private final Root root;
    private final String prefix;

    private BaseDirectory(Root root, String prefix) {
        this.root = root;
        this.prefix = prefix;
    }

    static BaseDirectory host() {
        return new BaseDirectory(Root.HOST, "");
    }

    static BaseDirectory of(Path directory) throws IOException {
        Root root = Root.of(directory);
        String spelt = PathFormat.clean(directory.toString());
        return new BaseDirectory(root, root.isHost() ? "" : spelt);
    }

    Root root() {
        return root;
    }

    /** Returns the absolute path of the base directory as the caller wrote it; empty for the running system. */
    String prefix() {
        return prefix;
    }

    String spelt(String inside) {
        return prefix + inside;
    }

    String inside(String path) {
        boolean below = path.startsWith(prefix) && path.startsWith("/", prefix.length());
        return below ? path.substring(prefix.length()) : path;
    }

    /**
     * Returns the file on this system for a path as the caller wrote it, following links inside the root directory.
     *
     * @throws IOException as {@link Root#resolve(String)}
     */
    Path host(String path) throws IOException {
        return root.resolve(inside(path));
    }

    boolean exists(String path) {
        try {
            return Files.exists(host(path));
        } catch (IOException e) {
            return false;
        }
    }
}
