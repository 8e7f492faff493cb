package dev.weaklink.format.codec;

import dev.weaklink.sys.IoReason;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text files such as {@code symvers.gz} as streams, decompressed if their magic says so. */
public final class Streams {
  private static final int BUFFER_SIZE = 64 << 10;

  private Streams() {}

  /**
   * Opens a regular file (links are followed), within the default limits.
   *
   * @return a stream whose reads throw {@link UnreadableFileException} where the file is truncated,
   *     corrupt or too long
   * @throws UnreadableFileException if the file cannot be opened
   */
  public static InputStream open(Path file) throws UnreadableFileException {
    return open(file, Limits.DEFAULT);
  }

  /** Like {@link #open(Path)}, within given limits. */
  public static InputStream open(Path file, Limits limits) throws UnreadableFileException {
    try {
      RegularFile.size(file);
      InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER_SIZE);
      return open(file, raw, limits);
    } catch (UnreadableFileException e) {
      throw e;
    } catch (IOException e) {
      throw new UnreadableFileException(file, IoReason.of(e), e);
    }
  }

  private static InputStream open(Path file, InputStream raw, Limits limits) throws IOException {
    try {
      InputStream decoded = decoded(raw, limits);
      return new BoundedStream(file, limits, decoded);
    } catch (IOException e) {
      raw.close();
      throw new UnreadableFileException(file, IoReason.of(e), e);
    }
  }

  /**
   * Decodes a stream that may be packed as modules are.
   *
   * @param raw supports marks
   * @return without a limit to what comes out; its reads throw {@link CodecException} where it is
   *     truncated or corrupt
   */
  public static InputStream decoded(InputStream raw, Limits limits) throws IOException {
    raw.mark(Compression.MAGIC_LENGTH);
    byte[] magic = raw.readNBytes(Compression.MAGIC_LENGTH);
    raw.reset();
    Compression compression = Compression.ofModule(magic, magic.length);
    // Most files are plain, and the decoders' classes take time to load.
    return compression == Compression.NONE
        ? raw
        : DecodedStream.open(raw, compression, limits.xzMemoryKib());
  }
}
