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
 * A directory tree in which every found path is resolved, as in a chroot: an absolute symbolic link starts again at the
 * root, {@code ..} never climbs above it, so no link leads out of it.
 *
 * <p>The tree is assumed not to change while it is read; a resolved path is a plain path of the host and is not
 * protected against links that are put there afterwards.
 */
public final class Root {
    /** As Linux allows on the way to one file (fs/namei.c, MAXSYMLINKS). */
    private static final int MAX_LINKS = 40;

    private static final Path SLASH = Path.of("/");

    /** The running system's own tree. */
    public static final Root HOST = new Root(SLASH, SLASH);

    private final Path top;
    private final Path given;

    private Root(Path top, Path given) {
        this.top = top;
        this.given = given;
    }

    /**
     * The tree below a directory of the host, which may itself be reached through links.
     *
     * @param directory null for the running system's own
     * @throws IOException if it does not exist or is not a directory
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

    /** The root directory itself, as a path of the host. */
    public Path top() {
        return top;
    }

    /** The option that names it to a command; empty for the running system. */
    public String words() {
        return isHost() ? "" : " --root " + ShellWord.of(top.toString());
    }

    /** Whether this is the running system's own tree. */
    public boolean isHost() {
        return top.equals(SLASH);
    }

    /**
     * The host's path of a path seen from inside, links followed; what comes after the first missing component is taken
     * as it is.
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

    /** Like {@link #resolve(String)}, for names that may not be valid in the platform's charset. */
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

    /** How a path of the host that lies below this root is seen from inside, starting with "/". */
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
     * The path inside that is meant by an absolute one with this root's directory in front, as it was given or as it
     * really is: what somebody outside wrote into a link. Nothing is looked up.
     *
     * @return null if it has none of the two in front
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
