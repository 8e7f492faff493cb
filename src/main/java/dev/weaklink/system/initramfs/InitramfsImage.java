package dev.weaklink.system.initramfs;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an initramfs holds, as the kernel would unpack it: cpio archives one after the other, each
 * plain or compressed, with zeros between them (Documentation/driver-api/early-userspace/
 * buffer-format.rst).
 *
 * @param modules the module files, in the image's order
 */
public record InitramfsImage(List<InitramfsModule> modules) {
  private static final int BUFFER_SIZE = 64 << 10;

  public InitramfsImage {
    modules = List.copyOf(modules);
  }

  /**
   * Reads an image; contents of files are passed over and not kept.
   *
   * @throws UnreadableException if it is missing, truncated, corrupt, packed in a way that is not
   *     known, or costs more than an image may
   */
  public static InitramfsImage read(Path file) throws UnreadableException {
    return read(file, ImageLimits.DEFAULT);
  }

  /** Names of the modules that images of a kernel have; those that cannot be read have none. */
  public static Set<String> moduleNames(Root root, String kernel) {
    Set<String> names = new TreeSet<>();
    List<ImageFile> images =
        SafeNames.isSafe(kernel) ? new ImageSearch(root).imagesOf(kernel) : List.of();
    for (ImageFile image : images) {
      try {
        read(image.host()).modules().forEach(module -> names.add(module.name()));
      } catch (UnreadableException e) {
        // who looks at the image itself says what is wrong with it
      }
    }
    return names;
  }

  static InitramfsImage read(Path file, ImageLimits limits) throws UnreadableException {
    return read(file, limits, null);
  }

  /** Reads an image and shows the contents of its modules one by one, if somebody wants them. */
  static InitramfsImage read(Path file, ImageLimits limits, @Nullable ContentsVisitor visitor)
      throws UnreadableException {
    try {
      requireReadable(file, limits);
      try (BufferedInputStream in =
          new BufferedInputStream(Files.newInputStream(file), BUFFER_SIZE)) {
        return new InitramfsImage(new InitramfsReader(limits, visitor).read(in));
      }
    } catch (IOException e) {
      throw UnreadableException.of(file, e);
    }
  }

  /** Looks before the file is opened: opening a FIFO would wait for a writer. */
  private static void requireReadable(Path file, ImageLimits limits) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw new UnreadableException("not a regular file");
    }
    if (attributes.size() == 0) {
      throw new UnreadableException("empty file");
    }
    if (attributes.size() > limits.packedBytes()) {
      throw new UnreadableException("larger than the limit of " + limits.packedBytes() + " bytes");
    }
  }
}
