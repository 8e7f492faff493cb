package dev.weaklink.format.archive;

import java.io.InputStream;

/**
 * An entry of a package, for as long as {@link PackageFile.EntryVisitor#visit} runs.
 *
 * @param owner the package it belongs to; in a bundle the innermost one
 * @param container where in a bundle that package lies, such as {@code /RPMS/a.rpm}; nested ones are joined by
 *     {@code !}; empty outside of bundles
 * @param path normalised and absolute, such as {@code /lib/modules/K/extra/m.ko}. Unescaped
 * @param type what it is
 * @param size bytes of contents, 0 but for files
 * @param target a symbolic link's target as written, a hard link's as a normalised path, else empty
 * @param contents the file's bytes as stored; empty but for files. Need not be read or closed
 */
public record PackageEntry(
        PackageInfo owner,
        String container,
        String path,
        EntryType type,
        long size,
        String target,
        InputStream contents) {
    /** How the entry is named in reports: its path, behind that of the package that holds it. */
    public String member() {
        return member(container, path);
    }

    /** How an entry of a package that lies there is named; the container is empty for none. */
    public static String member(String container, String path) {
        return container.isEmpty() ? path : container + "!" + path;
    }

    /** What an entry of a package is; devices, pipes and sockets are never handed over. */
    public enum EntryType {
        FILE,
        DIRECTORY,
        SYMLINK,
        /** Another name of a file of the same package. */
        HARDLINK
    }
}
