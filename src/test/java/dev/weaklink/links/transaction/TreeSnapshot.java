package dev.weaklink.links.transaction;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/** A snapshot of a directory: names, types, permissions, contents, link targets. */
public final class TreeSnapshot {
    private TreeSnapshot() {}

    /** Returns a description of each path below the directory, without following links. */
    public static SortedMap<String, String> of(Path directory) throws IOException {
        SortedMap<String, String> entries = new TreeMap<>();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) throws IOException {
                entries.put(directory.relativize(path) + "/", "directory " + mode(path));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
                entries.put(directory.relativize(path).toString(), file(path, attributes));
                return FileVisitResult.CONTINUE;
            }
        });
        return entries;
    }

    private static String file(Path path, BasicFileAttributes attributes) throws IOException {
        if (attributes.isSymbolicLink()) {
            return "link to " + Files.readSymbolicLink(path);
        }
        byte[] content = Files.readAllBytes(path);
        return "file " + mode(path) + " " + content.length + " " + Arrays.hashCode(content);
    }

    private static String mode(Path path) throws IOException {
        Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return Integer.toOctalString((Integer) mode);
    }
}
