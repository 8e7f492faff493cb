package dev.weaklink.image;

import dev.weaklink.codec.Compression;
import dev.weaklink.codec.PayloadDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds release and types in a kernel while it is unpacked, and stops behind the types: a quarter
 * of a kernel comes after them (include/asm-generic/vmlinux.lds.h: BTF is the end of the read-only
 * data), and none of it has to be held. Only images whose header says where their payload is, which
 * are little-endian all.
 */
final class TypesStream {
  /** Kernels have 4 to 7 MB of types. */
  private static final int MOST_TYPES = 32 << 20;

  private static final int WINDOW = 1 << 20;

  /** What may be cut by the end of a window: a banner, or the header of types. */
  private static final int CARRIED = 2048;

  private static final int HEADER_SIZE = 24;

  /** Without the zeros behind it, of which a kernel is full: a search looks at the last byte. */
  private static final TextSearch HEADER = new TextSearch("\u009f\u00eb\1\0\u0018");

  private final InputStream unpacked;
  private final byte[] window = new byte[WINDOW];
  private int filled;
  private @Nullable String release;

  private TypesStream(InputStream unpacked) {
    this.unpacked = unpacked;
  }

  /** Null if it takes another way, or nothing can be said without all of the image. */
  static @Nullable ImageTypes find(byte[] file, int length) {
    try {
      Payload payload = Payload.stated(new Blob(file, length, true));
      // A stream of zstd would need a window larger than the kernel.
      if (payload == null || payload.compression() == Compression.ZSTD) {
        return null;
      }
      try (InputStream in =
          PayloadDecoder.open(file, payload.offset(), payload.length(), payload.compression())) {
        return new TypesStream(in).find();
      }
    } catch (IOException e) {
      // Who reads all of it finds out what is wrong.
      return null;
    }
  }

  private @Nullable ImageTypes find() throws IOException {
    for (long seen = 0; seen < ContentsFinder.LIMIT; seen += WINDOW - CARRIED) {
      int read = unpacked.readNBytes(window, filled, WINDOW - filled);
      filled += read;
      release = release == null ? release() : release;
      int start = HEADER.next(window, 0, filled);
      if (release != null && start >= 0 && start + HEADER_SIZE <= filled) {
        ByteBuffer types = types(start);
        return types == null ? null : new ImageTypes(release, types);
      }
      if (read == 0) {
        return release == null ? null : new ImageTypes(release, null);
      }
      carry();
    }
    return null;
  }

  /** Null as long as the banner is not complete. */
  private @Nullable String release() {
    String banner = Banner.find(new Blob(window, filled, true));
    String word = Banner.release(banner);
    return banner == null || word == null || banner.endsWith(word) ? null : word;
  }

  private void carry() {
    int kept = Math.min(CARRIED, filled);
    System.arraycopy(window, filled - kept, window, 0, kept);
    filled = kept;
  }

  /** The types that start in the window, strings right behind them; null if they are no such. */
  private @Nullable ByteBuffer types(int start) throws IOException {
    Blob blob = new Blob(window, filled, true);
    long typesLength = blob.u32(start + 12);
    long length = HEADER_SIZE + typesLength + blob.u32(start + 20);
    boolean plain =
        blob.u32(start + 4) == HEADER_SIZE
            && blob.u32(start + 8) == 0
            && blob.u32(start + 16) == typesLength;
    if (!plain || length > MOST_TYPES) {
      return null;
    }
    int ready = (int) Math.min(length, filled - start);
    byte[] types = Arrays.copyOf(Arrays.copyOfRange(window, start, start + ready), (int) length);
    int rest = types.length - ready;
    return unpacked.readNBytes(types, ready, rest) == rest ? ByteBuffer.wrap(types) : null;
  }
}
