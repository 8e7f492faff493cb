package dev.weaklink.format.archive;

import java.io.InputStream;

/**
 * An entry of a package, valid only while {@link PackageFile.EntryVisitor#visit} runs.
 *
 * @param owner the package that contains the entry; in a bundle (a tar archive of packages), the innermost package
 * @param container the path of that package in a bundle, such as {@code /RPMS/a.rpm}. Nested paths are joined by
 *     {@code !}. Empty outside of bundles
 * @param path the normalised absolute path, such as {@code /lib/modules/K/extra/m.ko}; not escaped
 * @param type the type of the entry
 * @param size the number of bytes of a file, else 0
 * @param target the target of a symbolic link as written, or of a hard link as a normalised path, else empty
 * @param contents the bytes of a file as stored, else empty; the visitor need not read or close the stream
 */
public record PackageEntry(
        PackageInfo owner,
        String container,
        String path,
        EntryType type,
        long size,
        String target,
        InputStream contents) {
    public String member() {
        return member(container, path);
    }

    /**
     * Returns the name of an entry for reports.
     *
     * @param container the path of the package in a bundle, or empty
     */
    public static String member(String container, String path) {
        return container.isEmpty() ? path : container + "!" + path;
    }

    /** The type of an entry; devices, pipes and sockets are never visited. */
    public enum EntryType {
        FILE,
        DIRECTORY,
        SYMLINK,
        HARDLINK
    }
}
