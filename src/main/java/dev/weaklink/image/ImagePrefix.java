package dev.weaklink.image;

import dev.weaklink.codec.Compression;
import dev.weaklink.codec.PayloadDecoder;
import dev.weaklink.kernel.ExportTable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds release, types and exports in a kernel while it is unpacked, and stops behind the types: a
 * quarter of a kernel comes after them (include/asm-generic/vmlinux.lds.h: RO_DATA has the tables
 * of exports, and BTF at its end). Only images whose header says where their payload is, which are
 * little-endian all.
 */
final class ImagePrefix {
  /** Kernels have 4 to 7 MB of types. */
  private static final int MOST_TYPES = 32 << 20;

  private static final int WINDOW = 1 << 20;

  /** What may be cut by the end of a window: a banner, or the header of types. */
  private static final int CARRIED = 2048;

  private static final int HEADER_SIZE = 24;

  /** Without the zeros behind it, of which a kernel is full: a search looks at the last byte. */
  private static final TextSearch HEADER = new TextSearch("\u009f\u00eb\1\0\u0018");

  private final InputStream unpacked;

  /** All that was unpacked if exports are wanted, else the last of it. */
  private final byte[] window;

  private final boolean exportsWanted;
  private int filled;
  private int searched;
  private @Nullable String release;

  private ImagePrefix(InputStream unpacked, int room, boolean exportsWanted) {
    this.unpacked = unpacked;
    this.window = new byte[room];
    this.exportsWanted = exportsWanted;
  }

  /** Null if it takes another way, or nothing can be said without all of the image. */
  static @Nullable ImageTypes find(byte[] file, int length, boolean exportsWanted) {
    try {
      Payload payload = Payload.stated(new Blob(file, length, true));
      // A stream of zstd would need a window larger than the kernel.
      if (payload == null || payload.compression() == Compression.ZSTD) {
        return null;
      }
      int room = exportsWanted ? (int) Math.min(payload.expected(), ContentsFinder.LIMIT) : WINDOW;
      try (InputStream in =
          PayloadDecoder.open(file, payload.offset(), payload.length(), payload.compression())) {
        return new ImagePrefix(in, room, exportsWanted).find();
      }
    } catch (IOException e) {
      // Who reads all of it finds out what is wrong.
      return null;
    }
  }

  private @Nullable ImageTypes find() throws IOException {
    for (long seen = 0; seen < ContentsFinder.LIMIT; seen += WINDOW - CARRIED) {
      int read = unpacked.readNBytes(window, filled, Math.min(WINDOW, window.length - filled));
      filled += read;
      release = release == null ? release() : release;
      int start = HEADER.next(window, searched, filled);
      if (release != null && start >= 0 && start + HEADER_SIZE <= filled) {
        ByteBuffer types = types(start);
        return types == null ? null : found(release, types);
      }
      if (read == 0) {
        return release == null ? null : found(release, null);
      }
      searched = Math.max(filled - CARRIED, 0);
      if (!exportsWanted) {
        carry();
      }
    }
    return null;
  }

  /** Null if exports are wanted and not found: what lies behind may tell where they are. */
  private @Nullable ImageTypes found(String release, @Nullable ByteBuffer types)
      throws ImageException {
    if (!exportsWanted) {
      return new ImageTypes(release, types, null);
    }
    ExportTable exports = ImageReader.exports(window, filled);
    return exports == null ? null : new ImageTypes(release, types, exports);
  }

  /** Null as long as the banner is not complete. */
  private @Nullable String release() {
    String banner = Banner.find(new Blob(window, filled, true));
    String word = Banner.release(banner);
    return banner == null || word == null || banner.endsWith(word) ? null : word;
  }

  private void carry() {
    System.arraycopy(window, searched, window, 0, filled - searched);
    filled -= searched;
    searched = 0;
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
