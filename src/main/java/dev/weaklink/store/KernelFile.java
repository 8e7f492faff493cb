package dev.weaklink.store;

import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.Limits;
import dev.weaklink.codec.UnreadableFileException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;

/**
 * A kept kernel as the bytes of a file, and their name.
 *
 * @param kernel what is in it
 * @param digest SHA-256 of the unpacked contents, in hexadecimal digits
 */
record KernelFile(StoredKernel kernel, String digest) {
  /** Module.symvers of the largest kernels have 3 MiB. */
  private static final Limits LIMITS = new Limits(64 << 20, 1 << 10);

  /** The file of a kernel. */
  static KernelFile of(StoredKernel kernel) {
    return new KernelFile(kernel, digest(KernelText.of(kernel)));
  }

  /**
   * Reads a file.
   *
   * @throws CorruptEntryException if it is none, or not whole
   * @throws UnreadableFileException if it cannot be read
   */
  static KernelFile read(Path file) throws IOException {
    FileContents contents = new FileContents(LIMITS);
    contents.load(file);
    byte[] text = Arrays.copyOf(contents.bytes(), contents.length());
    return new KernelFile(KernelTextReader.read(text), digest(text));
  }

  String name() {
    return StoreEntry.fileName(kernel.release(), digest);
  }

  /** The bytes to write. */
  byte[] bytes() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream(1 << 19);
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(KernelText.of(kernel));
    }
    return packed.toByteArray();
  }

  private static String digest(byte[] text) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
