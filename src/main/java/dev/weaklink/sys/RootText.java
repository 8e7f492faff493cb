package dev.weaklink.sys;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads text files and directories below a root directory; an unreadable file or directory counts as empty. */
public final class RootText {
    public static final String OSRELEASE = "/proc/sys/kernel/osrelease";

    private static final int MAX_ENTRIES = 100_000;

    private final Root root;

    public RootText(Root root) {
        this.root = root;
    }

    /** Returns the start of a file, at most {@code limit} bytes, decoded as UTF-8. */
    public String read(String inside, int limit) {
        try {
            return read(root.resolve(inside), limit);
        } catch (IOException e) {
            return "";
        }
    }

    public static String read(Path file, int limit) {
        return new String(readBytes(file, limit), StandardCharsets.UTF_8);
    }

    /** Returns the release of the running kernel like {@code uname -r}; empty if the root is not a running system. */
    public String runningKernel() {
        return read(OSRELEASE, 4096).strip();
    }

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

    public List<String> names(String inside) {
        try {
            return names(root.resolve(inside));
        } catch (IOException e) {
            return List.of();
        }
    }

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

    public boolean isDirectory(String inside) {
        try {
            return Files.isDirectory(root.resolve(inside));
        } catch (IOException e) {
            return false;
        }
    }

    public boolean isFile(String inside) {
        try {
            return Files.isRegularFile(root.resolve(inside));
        } catch (IOException e) {
            return false;
        }
    }

    public boolean dangles(String parent, String name) {
        try {
            Path link = root.resolve(parent).resolve(name);
            return Files.isSymbolicLink(link) && !Files.exists(root.resolve(parent + "/" + name));
        } catch (IOException e) {
            return false;
        }
    }
}
