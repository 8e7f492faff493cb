package dev.weaklink.codec;

import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One file's contents at a time, decompressed if its magic says so, in buffers that are reused from
 * file to file. For one thread; {@link #bytes()} is overwritten by the next {@link #load}.
 */
public final class FileContents {
  /** Small enough to stay in the processor's cache between the kernel's copy and ours. */
  private static final int READ_SIZE = 64 << 10;

  private final Limits limits;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(READ_SIZE);
  private final GrowingBuffer raw;
  private final GrowingBuffer unpacked;
  private @Nullable Decoder gzip;
  private @Nullable Decoder xz;
  private @Nullable Decoder zstd;
  private Compression compression = Compression.NONE;

  public FileContents() {
    this(Limits.DEFAULT);
  }

  public FileContents(Limits limits) {
    this.limits = limits;
    this.raw = new GrowingBuffer(limits.maxBytes());
    this.unpacked = new GrowingBuffer(limits.maxBytes());
  }

  /**
   * Reads and, if need be, decompresses a regular file (links are followed).
   *
   * @throws UnreadableFileException if it is missing, not a regular file, not permitted, truncated,
   *     corrupt or beyond the limits
   */
  public void load(Path file) throws UnreadableFileException {
    clear();
    try {
      readRaw(file);
      decode();
    } catch (IOException e) {
      raw.clear();
      throw new UnreadableFileException(file, IoReason.of(e), e);
    }
  }

  /**
   * Reads a stream to its end, as if it were a file.
   *
   * @param name what to call it
   * @throws UnreadableFileException if what it holds is truncated, corrupt or beyond the limits
   * @throws IOException if the stream itself fails
   */
  public void load(String name, InputStream in) throws IOException {
    clear();
    try {
      int count = 0;
      while (count >= 0) {
        raw.advance(count);
        raw.grow();
        count = in.read(raw.array(), raw.length(), raw.room());
      }
      decode();
    } catch (CodecException e) {
      raw.clear();
      throw new UnreadableFileException(name, IoReason.of(e), e);
    }
  }

  private void clear() {
    compression = Compression.NONE;
    raw.clear();
    unpacked.clear();
  }

  private void decode() throws IOException {
    Compression packing = Compression.of(raw.array(), raw.length());
    Decoder decoder = decoder(packing);
    if (decoder != null) {
      decoder.decode(raw.array(), raw.length(), unpacked);
    }
    compression = packing;
  }

  /** The contents; only the first {@link #length()} bytes count. Not a copy. */
  public byte[] bytes() {
    return buffer().array();
  }

  /** How many bytes the contents are, after decompression. */
  public int length() {
    return buffer().length();
  }

  /** How the file was packed. */
  public Compression compression() {
    return compression;
  }

  private GrowingBuffer buffer() {
    return compression == Compression.NONE ? raw : unpacked;
  }

  private void readRaw(Path file) throws IOException {
    raw.reserve(RegularFile.size(file));
    try (FileChannel channel = FileChannel.open(file)) {
      chunk.clear();
      while (channel.read(chunk) > 0) {
        chunk.flip();
        int count = chunk.remaining();
        raw.reserve(count);
        chunk.get(raw.array(), raw.length(), count);
        raw.advance(count);
        chunk.clear();
      }
    }
  }

  private @Nullable Decoder decoder(Compression packing) throws CodecException {
    switch (packing) {
      case GZIP:
        return gzip != null ? gzip : (gzip = new GzipDecoder());
      case XZ:
        return xz != null ? xz : (xz = new XzDecoder(limits.xzMemoryKib()));
      case ZSTD:
        return zstd != null ? zstd : (zstd = new ZstdDecoder());
      default:
        return null;
    }
  }
}
