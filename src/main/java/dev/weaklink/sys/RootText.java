package dev.weaklink.sys;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Texts and names in a root; what cannot be read is as good as empty. */
public final class RootText {
    /** Where the kernel that runs says its release. */
    public static final String OSRELEASE = "/proc/sys/kernel/osrelease";

    private static final int MAX_ENTRIES = 100_000;

    private final Root root;

    public RootText(Root root) {
        this.root = root;
    }

    /** The beginning of a file, at most that many bytes. */
    public String read(String inside, int limit) {
        try {
            return read(root.resolve(inside), limit);
        } catch (IOException e) {
            return "";
        }
    }

    /** The beginning of a file of the host, at most that many bytes. */
    public static String read(Path file, int limit) {
        return new String(readBytes(file, limit), StandardCharsets.UTF_8);
    }

    /** The release of the kernel that runs, as {@code uname -r} says; empty where none does. */
    public String runningKernel() {
        return read(OSRELEASE, 4096).strip();
    }

    /** The beginning of a file that is no text, at most that many bytes. */
    public byte[] bytes(String inside, int limit) {
        try {
            return readBytes(root.resolve(inside), limit);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    private static byte[] readBytes(Path file, int limit) {
        if (!Files.isRegularFile(file)) {
            return new byte[0];
        }
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(limit);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    /** Names in a directory, sorted. */
    public List<String> names(String inside) {
        try {
            return names(root.resolve(inside));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Names in a directory of the host, sorted. */
    public static List<String> names(Path directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                names.add(String.valueOf(entry.getFileName()));
                if (names.size() == MAX_ENTRIES) {
                    break;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    /** Whether there is a directory of that path. */
    public boolean isDirectory(String inside) {
        try {
            return Files.isDirectory(root.resolve(inside));
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether there is a regular file of that path. */
    public boolean isFile(String inside) {
        try {
            return Files.isRegularFile(root.resolve(inside));
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether a path, its last link not followed, is a symbolic link that leads to nothing. */
    public boolean dangles(String parent, String name) {
        try {
            Path link = root.resolve(parent).resolve(name);
            return Files.isSymbolicLink(link)
                    && !Files.exists(root.resolve(parent + "/" + name), LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            return false;
        }
    }
}
