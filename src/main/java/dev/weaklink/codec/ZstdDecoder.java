package dev.weaklink.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Zstandard frames, one after the other. */
final class ZstdDecoder implements Decoder {
  /** A declared size is believed up to this many times the packed size (modules reach about 8). */
  private static final int BELIEVED_RATIO = 32;

  private final ZstdDecompressCtx context;

  ZstdDecoder() throws CodecException {
    try {
      context = new ZstdDecompressCtx();
    } catch (LinkageError e) {
      throw nativeLibraryMissing(e);
    }
  }

  @Override
  public void decode(byte[] packed, int length, GrowingBuffer out) throws IOException {
    long declared = Zstd.getFrameContentSize(packed, 0, length);
    if (declared <= 0 || declared > (long) BELIEVED_RATIO * length) {
      decodeStreaming(packed, length, out);
      return;
    }
    out.reserve(declared);
    try {
      out.advance(
          context.decompressByteArray(out.array(), out.length(), out.room(), packed, 0, length));
    } catch (ZstdException e) {
      if (e.getErrorCode() != Zstd.errDstSizeTooSmall()) {
        throw corrupt(e);
      }
      // More frames than the first, or a first frame longer than it says.
      decodeStreaming(packed, length, out);
    }
  }

  private static void decodeStreaming(byte[] packed, int length, GrowingBuffer out)
      throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(packed, 0, length);
    try (ZstdInputStreamNoFinalizer zstd = new ZstdInputStreamNoFinalizer(in)) {
      int count;
      do {
        out.grow();
        count = zstd.read(out.array(), out.length(), out.room());
        out.advance(Math.max(count, 0));
      } while (count >= 0);
    } catch (CodecException e) {
      throw e;
    } catch (IOException e) {
      throw corrupt(e);
    }
  }

  private static CodecException corrupt(Exception e) {
    return new CodecException("truncated or corrupt zstd data", e);
  }

  static CodecException nativeLibraryMissing(LinkageError cause) {
    return new CodecException(
        "zstd cannot be decoded: its native library does not load (is "
            + System.getProperty("java.io.tmpdir")
            + " mounted noexec?); set -Djava.io.tmpdir to a directory that allows execution,"
            + " or -DZstdNativePath to the library",
        cause);
  }
}
