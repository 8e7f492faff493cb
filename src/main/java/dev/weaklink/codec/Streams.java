package dev.weaklink.codec;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.weaklink.sys.IoReason;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

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
    Compression compression = Compression.NONE;
    try {
      raw.mark(Compression.MAGIC_LENGTH);
      byte[] magic = raw.readNBytes(Compression.MAGIC_LENGTH);
      raw.reset();
      compression = Compression.of(magic, magic.length);
      return new BoundedStream(file, compression, limits, decoded(raw, compression, limits));
    } catch (IOException e) {
      raw.close();
      throw new UnreadableFileException(file, BoundedStream.reason(e, compression, limits), e);
    }
  }

  /**
   * Decodes a stream whose compression is known, without a limit to what comes out. Close it: it
   * may hold memory outside the heap.
   *
   * @throws IOException if the beginning is truncated, corrupt or asks for too much memory; as do
   *     the stream's reads, and {@link #reason} has the words for it
   */
  public static InputStream decoded(InputStream raw, Compression compression, Limits limits)
      throws IOException {
    switch (compression) {
      case GZIP:
        return new GZIPInputStream(raw, BUFFER_SIZE);
      case XZ:
        return new XZInputStream(raw, limits.xzMemoryKib());
      case ZSTD:
        return zstd(raw);
      default:
        return raw;
    }
  }

  /** Why decoding failed, in one line without a file's name. */
  public static String reason(IOException e, Compression compression, Limits limits) {
    return BoundedStream.reason(e, compression, limits);
  }

  private static InputStream zstd(InputStream raw) throws IOException {
    try {
      return new ZstdInputStreamNoFinalizer(raw);
    } catch (LinkageError e) {
      throw ZstdDecoder.nativeLibraryMissing(e);
    }
  }
}
