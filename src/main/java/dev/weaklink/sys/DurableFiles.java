package dev.weaklink.sys;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/** Files and directories that survive a power failure: fsync(2) is called on them. */
public final class DurableFiles {
  private DurableFiles() {}

  /**
   * Writes a new file; its name lasts only once {@link #syncDirectory} has been called.
   *
   * @throws IOException if something of that name is there, or it cannot be written
   */
  public static void create(Path file, byte[] content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** Writes a file over what is there, by way of one beside it whose name ends in {@code .new}. */
  public static void replace(Path file, byte[] content) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    create(fresh, content);
    move(fresh, file);
  }

  /** Renames within a file system, over what is there. */
  public static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    syncDirectory(parentOf(to));
  }

  /** Makes a directory, and those above it, that everybody may read; existing ones stay. */
  public static void createDirectories(Path directory) throws IOException {
    Deque<Path> missing = new ArrayDeque<>();
    Path existing = directory;
    while (!Files.isDirectory(existing)) {
      missing.push(existing);
      existing = parentOf(existing);
    }
    for (Path path : missing) {
      createDirectory(path);
    }
  }

  private static void createDirectory(Path path) throws IOException {
    try {
      Files.createDirectory(path);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
      return;
    }
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    syncDirectory(parentOf(path));
  }

  /** Makes what was renamed, made and removed in a directory last. */
  public static void syncDirectory(Path directory) throws IOException {
    sync(directory);
  }

  /** Makes a file's content last. */
  public static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Deletes a file, or a directory with all that is in it; links are removed, not followed. */
  public static void deleteTree(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
        for (Path entry : entries) {
          deleteTree(entry);
        }
      } catch (DirectoryIteratorException e) {
        throw Objects.requireNonNull(e.getCause());
      }
    }
    Files.deleteIfExists(path);
  }

  private static Path parentOf(Path path) throws IOException {
    Path parent = path.getParent();
    if (parent == null) {
      throw new NoSuchFileException(path.toString());
    }
    return parent;
  }
}
