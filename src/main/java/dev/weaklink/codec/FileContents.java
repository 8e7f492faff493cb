package dev.weaklink.codec;

import dev.weaklink.sys.IoReason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One file's contents at a time, decompressed if its magic says so, in buffers that are reused from
 * file to file. For one thread; {@link #bytes()} is overwritten by the next {@link #load}.
 */
public final class FileContents {
  /** Small enough to stay in the processor's cache between the kernel's copy and ours. */
  private static final int READ_SIZE = 64 << 10;

  /** A stream's stated size is believed up to here; the largest modules have about 30 MiB. */
  private static final long BELIEVED = 40L << 20;

  /** A module packed with xz has 20 KiB on average. */
  private static final int USUAL_MODULE = 20 << 10;

  /** Of several workers one at a time has a large file: two would need a heap twice as large. */
  private static final Semaphore LARGE = new Semaphore(1, true);

  private final Limits limits;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(READ_SIZE);
  private final GrowingBuffer raw;
  private final GrowingBuffer unpacked;
  private @Nullable ZstdDecoder zstd;
  private Compression compression = Compression.NONE;
  private boolean hasLarge;

  public FileContents() {
    this(Limits.DEFAULT);
  }

  public FileContents(Limits limits) {
    this(limits, false);
  }

  private FileContents(Limits limits, boolean waits) {
    this.limits = limits;
    Turn beforeLarge = waits ? new Turn(this) : null;
    this.raw = new GrowingBuffer(limits.maxBytes(), beforeLarge);
    this.unpacked = new GrowingBuffer(limits.maxBytes(), beforeLarge);
  }

  /**
   * For one of several threads: a large file waits until no other thread has one. {@link #release}
   * it as soon as it is no longer needed, and load nothing else meanwhile.
   */
  public static FileContents ofWorker() {
    return new FileContents(Limits.DEFAULT, true);
  }

  /** Says that about so many modules packed with xz will be loaded. */
  public static void expectXz(int modules) {
    LibLzma.expect((long) modules * USUAL_MODULE);
  }

  /** Lets the contents go, and the next worker have a large file. */
  public void release() {
    clear();
  }

  private record Turn(FileContents contents) implements Runnable {
    @Override
    public void run() {
      if (!contents.hasLarge) {
        LARGE.acquireUninterruptibly();
        contents.hasLarge = true;
      }
    }
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
      clear();
      throw new UnreadableFileException(file, IoReason.of(e), e);
    }
  }

  /**
   * Reads a stream to its end, as if it were a file.
   *
   * @param name what to call it
   * @param expected how many bytes it is said to have, which saves memory if it is true
   * @throws UnreadableFileException if what it holds is truncated, corrupt or beyond the limits
   * @throws IOException if the stream itself fails
   */
  public void load(String name, InputStream in, long expected) throws IOException {
    clear();
    try {
      // One byte more shows the end without growing.
      raw.reserve(Math.min(Math.min(expected, BELIEVED) + 1, limits.maxBytes()));
      raw.readAll(in);
      decode();
    } catch (CodecException e) {
      clear();
      throw new UnreadableFileException(name, IoReason.of(e), e);
    }
  }

  private void clear() {
    compression = Compression.NONE;
    raw.clear();
    unpacked.clear();
    if (hasLarge) {
      hasLarge = false;
      LARGE.release();
    }
  }

  private void decode() throws IOException {
    Compression packing = Compression.ofModule(raw.array(), raw.length());
    if (packing == Compression.ZSTD) {
      zstd = zstd != null ? zstd : new ZstdDecoder();
      zstd.decode(raw.array(), raw.length(), unpacked);
    } else if (packing != Compression.NONE) {
      InputStream in = new ByteArrayInputStream(raw.array(), 0, raw.length());
      try (InputStream decoded = DecodedStream.open(in, packing, limits.xzMemoryKib())) {
        unpacked.readAll(decoded);
      }
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
}
