package dev.weaklink.sys;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/** Writes files and directories that survive a power failure, using fsync(2). */
public final class DurableFiles {
    static final FileAttribute<?> PRIVATE = permissions("rw-------");

    private static final Set<PosixFilePermission> PRIVATE_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> READABLE_FILE = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> OPEN_DIRECTORY = PosixFilePermissions.fromString("rwxr-xr-x");

    /** The maximum depth of a deleted tree, because each level needs an open file descriptor. */
    private static final int MAX_DEPTH = 512;

    private DurableFiles() {}

    private static FileAttribute<?> permissions(String symbolic) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(symbolic));
    }

    /**
     * Writes a new file that every user may read, regardless of the umask. The file's name survives a power failure
     * only after the caller has called {@link #syncDirectory}.
     *
     * @throws IOException if the file exists or cannot be written
     */
    public static void create(Path file, byte[] content) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), PRIVATE)) {
            permit(file, READABLE_FILE);
            write(channel, content);
        }
    }

    /**
     * Writes a new file that every user may read, with an unpredictable name that starts with {@code prefix}. The
     * caller then renames the file to its final name.
     */
    public static Path draft(Path directory, String prefix, byte[] content) throws IOException {
        return draft(directory, prefix, content, READABLE_FILE);
    }

    private static Path draft(Path directory, String prefix, byte[] content, Set<PosixFilePermission> permissions)
            throws IOException {
        Path draft = Files.createTempFile(directory, prefix, null, PRIVATE);
        try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
            permit(draft, permissions);
            write(channel, content);
            return draft;
        } catch (IOException e) {
            Files.deleteIfExists(draft);
            throw e;
        }
    }

    private static void write(FileChannel channel, byte[] content) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(true);
    }

    public static Path draftOf(Path file, byte[] content) throws IOException {
        return draft(parentOf(file.toAbsolutePath()), "." + file.getFileName() + "-", content);
    }

    /**
     * Removes old temporary files, which killed processes have left in a directory.
     *
     * @param replaced the names of the files that the temporary files would have replaced
     * @param age the minimum age of the files to remove, because a newer temporary file may belong to a running
     *     process; zero to remove all
     */
    public static void removeDrafts(Path directory, Pattern replaced, Duration age) throws IOException {
        Pattern names = Pattern.compile("\\.(?:" + replaced + ")-[0-9]+\\.tmp");
        for (String name : RootText.names(directory)) {
            Path file = directory.resolve(name);
            if (names.matcher(name).matches() && (age.isZero() || isOlder(file, age))) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Returns whether a file, or a symbolic link itself, exists and was last modified longer ago than {@code age}. */
    public static boolean isOlder(Path file, Duration age) throws IOException {
        try {
            FileTime modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
            return modified.toInstant().isBefore(Instant.now().minus(age));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    public static void replace(Path file, byte[] content) throws IOException {
        replaceWith(draftOf(file, content), file);
    }

    public static void replacePrivate(Path file, byte[] content) throws IOException {
        replaceWith(
                draft(parentOf(file.toAbsolutePath()), "." + file.getFileName() + "-", content, PRIVATE_FILE), file);
    }

    private static void replaceWith(Path draft, Path file) throws IOException {
        try {
            move(draft, file);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /**
     * Copies a regular file to a new path; everybody may read the copy. The file is read only once, so the digest is
     * that of the copy.
     *
     * @return the copy's SHA-256 in hexadecimal
     * @throws IOException if the source is not a regular file, the new path exists, or the file cannot be copied
     */
    public static String copy(Path from, Path to) throws IOException {
        try (FileChannel source = open(from);
                FileChannel target = FileChannel.open(
                        to, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), PRIVATE)) {
            MessageDigest digest = Sha256.start();
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
            while (source.read(buffer) >= 0) {
                digest.update(buffer.flip());
                buffer.rewind();
                while (buffer.hasRemaining()) {
                    target.write(buffer);
                }
                buffer.clear();
            }
            permit(to, READABLE_FILE);
            target.force(true);
            return Sha256.hex(digest);
        }
    }

    /**
     * Returns the SHA-256 of a regular file in hexadecimal.
     *
     * @throws IOException if the file is not regular or cannot be read
     */
    public static String digest(Path file) throws IOException {
        try (FileChannel source = open(file)) {
            MessageDigest digest = Sha256.start();
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
            while (source.read(buffer) >= 0) {
                digest.update(buffer.flip());
                buffer.clear();
            }
            return Sha256.hex(digest);
        }
    }

    private static FileChannel open(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(file.toString(), null, "not a regular file");
        }
        return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    public static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(parentOf(to));
    }

    /** Creates a directory and its missing parents, readable by everybody. */
    public static void createDirectories(Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        Path existing = directory.toAbsolutePath();
        while (!Files.isDirectory(existing)) {
            missing.push(existing);
            existing = parentOf(existing);
        }
        for (Path path : missing) {
            try {
                createDirectory(path);
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    throw new FileAlreadyExistsException(path.toString(), null, path + " is not a directory");
                }
            }
        }
    }

    /**
     * Creates a directory that everybody may read.
     *
     * @throws FileAlreadyExistsException if the path exists
     */
    public static void createDirectory(Path path) throws IOException {
        Files.createDirectory(path, PosixFilePermissions.asFileAttribute(OPEN_DIRECTORY));
        permit(path, OPEN_DIRECTORY);
        syncDirectory(parentOf(path));
    }

    /**
     * Sets the permissions of a new file or directory, but never the permissions of a link's target.
     *
     * @param mode the permission bits, at most 0777
     */
    public static void setMode(Path created, int mode) throws IOException {
        Set<PosixFilePermission> wanted = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & 0400 >> permission.ordinal()) != 0) {
                wanted.add(permission);
            }
        }
        permit(created, wanted);
    }

    /**
     * Gives a new file exactly these permissions, regardless of the umask. If another user has replaced the file by a
     * link, the link's target keeps its permissions. The directory is opened first, because Java 25 follows such a link
     * if it is given only the path.
     */
    private static void permit(Path created, Set<PosixFilePermission> wanted) throws IOException {
        Path absolute = created.toAbsolutePath();
        Path name = Objects.requireNonNull(absolute.getFileName());
        try (DirectoryStream<Path> parent = Files.newDirectoryStream(parentOf(absolute))) {
            PosixFileAttributeView view = secure(parent, created)
                    .getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
            if (!view.readAttributes().permissions().equals(wanted)) {
                view.setPermissions(wanted);
            }
        }
    }

    public static void syncDirectory(Path directory) throws IOException {
        sync(directory);
    }

    public static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * Deletes a file, or a directory with its contents. Symbolic links are removed and never followed, even if another
     * user replaces a directory by a link in the meantime.
     */
    public static void deleteTree(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path name = absolute.getFileName();
        if (name == null) {
            throw new FileSystemException(path.toString(), null, "cannot be deleted");
        }
        try (DirectoryStream<Path> parent = Files.newDirectoryStream(parentOf(absolute))) {
            deleteTree(secure(parent, path), name, 0);
        } catch (NoSuchFileException | NotDirectoryException e) {
            // the parent directory does not exist, so there is nothing to delete
        }
    }

    private static void deleteTree(SecureDirectoryStream<Path> parent, Path name, int depth) throws IOException {
        try {
            if (!isDirectory(parent, name)) {
                parent.deleteFile(name);
                return;
            }
            if (depth == MAX_DEPTH) {
                throw new FileSystemException(name.toString(), null, "directories are nested too deeply to be deleted");
            }
            try (SecureDirectoryStream<Path> entries = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                for (Path entry : entries) {
                    deleteTree(entries, entry.getFileName(), depth + 1);
                }
            } catch (DirectoryIteratorException e) {
                throw Objects.requireNonNull(e.getCause());
            }
            parent.deleteDirectory(name);
        } catch (NoSuchFileException e) {
            // deleted by another process
        }
    }

    private static boolean isDirectory(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        return parent.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .isDirectory();
    }

    /**
     * Returns the stream as a secure directory stream. The JDK provides secure streams on every system with openat(2).
     */
    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream, Path path) throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        throw new FileSystemException(
                path.toString(),
                null,
                "this Java does not support openat(2), which weaklink needs to change files safely");
    }

    private static Path parentOf(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null) {
            throw new NoSuchFileException(path.toString());
        }
        return parent;
    }
}
