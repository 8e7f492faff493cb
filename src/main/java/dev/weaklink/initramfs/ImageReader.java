package dev.weaklink.initramfs;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.MemoryLimitException;

/**
 * Goes through an image's segments as the kernel does (init/initramfs.c:unpack_to_rootfs): zeros
 * are passed over, a {@code '0'} starts a plain archive, all else must be the magic of a
 * compression.
 */
final class ImageReader {
  private static final int BUFFER_SIZE = 64 << 10;
  private static final int PADDING_STEP = 8 << 10;

  private final ImageLimits limits;
  private final ImageEntries entries;
  private long unpacked;

  /** With somebody who wants the contents of modules, or null. */
  ImageReader(ImageLimits limits, @Nullable ContentsVisitor visitor) {
    this.limits = limits;
    this.entries = new ImageEntries(limits, visitor);
  }

  /** The modules of all archives; the stream is read to its end and left open. */
  List<InitramfsModule> read(BufferedInputStream image) throws IOException {
    boolean any = false;
    while (skipZeros(image)) {
      any = true;
      SegmentCompression compression = SegmentCompression.at(image);
      if (compression == SegmentCompression.NONE) {
        CpioArchive.read(image, entries);
      } else {
        readCompressed(compression, image);
      }
    }
    if (!any) {
      throw new ImageException("holds no archive, only zeros");
    }
    return entries.modules();
  }

  private void readCompressed(SegmentCompression compression, InputStream image)
      throws IOException {
    try (InputStream decoder = compression.open(new Unclosed(image), limits.decoderKib());
        BufferedInputStream archives =
            new BufferedInputStream(new Unpacked(decoder), BUFFER_SIZE)) {
      boolean any = false;
      while (skipZeros(archives)) {
        any = true;
        CpioArchive.read(archives, entries);
      }
      if (!any) {
        throw new ImageException(compression.label() + " data without an archive in it");
      }
    } catch (IOException | RuntimeException | OutOfMemoryError | LinkageError e) {
      throw explained(compression, e);
    }
  }

  /** What the decoders' answers mean; some corrupt input they meet with an index out of range. */
  private static ImageException explained(SegmentCompression compression, Throwable e) {
    String data = compression.label() + " data";
    if (e instanceof ImageException known) {
      return known;
    }
    if (e instanceof MemoryLimitException limit) {
      return new ImageException(
          data + " needs " + limit.getMemoryNeeded() + " KiB to decode, over the limit", e);
    }
    if (e instanceof OutOfMemoryError) {
      return new ImageException("not enough memory for " + data, e);
    }
    if (e instanceof LinkageError) {
      return new ImageException(data + " cannot be decoded: no native library loads", e);
    }
    String defect = e instanceof EOFException ? "truncated " : "truncated or corrupt ";
    return new ImageException(defect + data, e);
  }

  /** Passes over zeros and says whether anything comes after them. */
  private static boolean skipZeros(BufferedInputStream in) throws IOException {
    while (true) {
      in.mark(PADDING_STEP);
      byte[] bytes = in.readNBytes(PADDING_STEP);
      int zeros = 0;
      while (zeros < bytes.length && bytes[zeros] == 0) {
        zeros++;
      }
      if (zeros < bytes.length) {
        in.reset();
        in.skipNBytes(zeros);
        return true;
      }
      if (bytes.length < PADDING_STEP) {
        return false;
      }
    }
  }

  /** Counts what comes out of the decoders against the image's limit. */
  private final class Unpacked extends FilterInputStream {
    Unpacked(InputStream decoder) {
      super(decoder);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int count = in.read(bytes, offset, length);
      unpacked += Math.max(count, 0);
      if (unpacked > limits.unpackedBytes()) {
        throw new ImageException(
            "unpacks to more than the limit of " + limits.unpackedBytes() + " bytes");
      }
      return count;
    }

    /** By reading, so that what is skipped is counted. */
    @Override
    public long skip(long count) throws IOException {
      return count <= 0 ? 0 : readNBytes((int) Math.min(count, PADDING_STEP)).length;
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }

  /** Lets a decoder be closed without the image behind it. */
  private static final class Unclosed extends FilterInputStream {
    Unclosed(InputStream image) {
      super(image);
    }

    @Override
    public void close() {
      // The next segment is read from the same stream.
    }
  }
}
