package dev.weaklink.format.codec;

import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Looks at a file before it is opened: opening a FIFO would wait for a writer. */
final class RegularFile {
  private RegularFile() {}

  /**
   * The size of a regular file, links followed.
   *
   * @throws IOException if it is missing, not permitted or anything else than a regular file
   */
  static long size(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw new UnreadableException(
          attributes.isDirectory() ? "is a directory" : "not a regular file");
    }
    return attributes.size();
  }
}
