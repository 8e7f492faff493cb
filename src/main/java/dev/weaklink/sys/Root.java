package dev.weaklink.sys;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A root directory in which paths are resolved as in a chroot. An absolute symbolic link starts again at the root
 * directory, and {@code ..} never goes above it, so no link leads outside.
 *
 * <p>The directory tree must not change while it is read. A resolved path is a plain path of the host and is not
 * protected against links created later.
 */
public final class Root {
    /** The maximum number of links on one path, as in Linux (fs/namei.c, MAXSYMLINKS). */
    private static final int MAX_LINKS = 40;

    private static final Path SLASH = Path.of("/");

    public static final Root HOST = new Root(SLASH, SLASH);

    private final Path top;
    private final Path given;

    private Root(Path top, Path given) {
        this.top = top;
        this.given = given;
    }

    /**
     * Returns the given root directory, which may be reached through links.
     *
     * @param directory the root directory, null for the running system
     * @throws IOException if the path does not exist or is not a directory
     */
    public static Root of(@Nullable Path directory) throws IOException {
        if (directory == null) {
            return HOST;
        }
        Path real = directory.toRealPath();
        if (real.equals(SLASH)) {
            return HOST;
        }
        if (!Files.isDirectory(real)) {
            throw new NotDirectoryException(directory.toString());
        }
        return new Root(real, directory.toAbsolutePath().normalize());
    }

    public Path top() {
        return top;
    }

    public String words() {
        return isHost() ? "" : " --root " + ShellWord.of(top.toString());
    }

    /** Returns the host's name of a path in this root directory, for messages. Links are not followed. */
    public String named(String path) {
        return isHost() ? path : top + path;
    }

    /** Returns the command that runs depmod for a kernel of this root, for messages. */
    public String depmod(String release) {
        return (isHost() ? "depmod " : "depmod -b " + ShellWord.of(top.toString()) + " ") + ShellWord.of(release);
    }

    public boolean isHost() {
        return top.equals(SLASH);
    }

    /**
     * Returns the host's path for a path inside the root directory, following links; the path need not exist. On the
     * running system, returns the absolute path without following links.
     *
     * @throws IOException if the path is malformed, passes too many symbolic links, or a link cannot be read
     */
    public Path resolve(String inside) throws IOException {
        try {
            return resolve(Path.of(inside));
        } catch (InvalidPathException e) {
            throw new FileSystemException(inside, null, "not a valid path");
        }
    }

    /** Resolves a path like {@link #resolve(String)}, for names that may be invalid in the platform's charset. */
    public Path resolve(Path inside) throws IOException {
        if (isHost()) {
            return SLASH.resolve(inside);
        }
        Deque<Path> pending = new ArrayDeque<>();
        push(pending, inside);
        Path current = top;
        int links = 0;
        while (!pending.isEmpty()) {
            Path name = pending.pop();
            Path next = step(current, name);
            if (!Files.isSymbolicLink(next)) {
                current = next;
                continue;
            }
            if (++links > MAX_LINKS) {
                throw new FileSystemException(inside.toString(), null, "too many symbolic links");
            }
            Path target = Files.readSymbolicLink(next);
            current = target.isAbsolute() ? top : current;
            push(pending, target);
        }
        return current;
    }

    public String inside(Path hostPath) {
        if (isHost()) {
            return hostPath.toString();
        }
        if (!hostPath.startsWith(top)) {
            throw new IllegalArgumentException(hostPath + " is not below " + top);
        }
        return "/" + top.relativize(hostPath);
    }

    /**
     * Removes the root directory from the start of an absolute path of the host, such as the target of a link that was
     * created from outside. The path may start with the root directory as given, or with its links resolved. The file
     * system is not accessed.
     *
     * @return null if the path is not below the root directory, or the root directory is that of the running system
     */
    public @Nullable String withoutTop(String path) {
        for (Path front : List.of(given, top)) {
            if (!isHost() && path.startsWith(front + "/")) {
                return path.substring(front.toString().length());
            }
        }
        return null;
    }

    private Path step(Path current, Path name) {
        switch (name.toString()) {
            case "", ".":
                return current;
            case "..":
                return parentOf(current);
            default:
                return current.resolve(name);
        }
    }

    private Path parentOf(Path current) {
        Path parent = current.getParent();
        return current.equals(top) || parent == null ? top : parent;
    }

    private static void push(Deque<Path> pending, Path path) {
        for (int i = path.getNameCount() - 1; i >= 0; i--) {
            pending.push(path.getName(i));
        }
    }

    @Override
    public String toString() {
        return top.toString();
    }
}
