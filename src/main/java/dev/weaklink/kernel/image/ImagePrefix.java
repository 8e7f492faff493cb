package dev.weaklink.kernel.image;

import dev.weaklink.kernel.ExportTable;
import java.io.IOException;
import java.nio.ByteBuffer;
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

  /** What may be cut by the end of a window: a banner, or the header of types. */
  private static final int CARRIED = 2048;

  private static final int HEADER_SIZE = 24;

  /** Without the zeros behind it, of which a kernel is full: a search looks at the last byte. */
  private static final TextSearch HEADER = new TextSearch("\u009f\u00eb\1\0\u0018");

  private final KernelWindows kernel;
  private final boolean exportsWanted;

  private ImagePrefix(KernelWindows kernel, boolean exportsWanted) {
    this.kernel = kernel;
    this.exportsWanted = exportsWanted;
  }

  /** Null if it takes another way, or nothing can be said without all of the image. */
  static @Nullable ImageTypes find(byte[] file, int length, boolean exportsWanted) {
    try (KernelWindows kernel = KernelWindows.open(file, length, exportsWanted)) {
      return kernel == null ? null : new ImagePrefix(kernel, exportsWanted).find();
    } catch (IOException e) {
      // Who reads all of it finds out what is wrong.
      return null;
    }
  }

  private @Nullable ImageTypes find() throws IOException {
    int carried = 0;
    int from = 0;
    while (kernel.next(from)) {
      int searched = exportsWanted ? carried : 0;
      String release = kernel.release();
      int start = HEADER.next(kernel.data(), searched, kernel.length());
      if (release != null && start >= 0 && start + HEADER_SIZE <= kernel.length()) {
        ByteBuffer types = types(start);
        return types == null ? null : found(release, types);
      }
      carried = Math.max(kernel.length() - CARRIED, 0);
      from = exportsWanted ? 0 : carried;
    }
    return kernel.release() == null ? null : found(kernel.release(), null);
  }

  /** Null if exports are wanted and not found: what lies behind may tell where they are. */
  private @Nullable ImageTypes found(String release, @Nullable ByteBuffer types)
      throws ImageException {
    if (!exportsWanted) {
      return new ImageTypes(release, types, null);
    }
    ExportTable exports = ImageReader.exports(kernel.data(), kernel.length());
    return exports == null ? null : new ImageTypes(release, types, exports);
  }

  /** The types that start in the window, strings right behind them; null if they are no such. */
  private @Nullable ByteBuffer types(int start) throws IOException {
    Blob blob = new Blob(kernel.data(), kernel.length(), true);
    long typesLength = blob.u32(start + 12);
    long length = HEADER_SIZE + typesLength + blob.u32(start + 20);
    boolean plain =
        blob.u32(start + 4) == HEADER_SIZE
            && blob.u32(start + 8) == 0
            && blob.u32(start + 16) == typesLength;
    if (!plain || length > MOST_TYPES) {
      return null;
    }
    int ready = (int) Math.min(length, kernel.length() - start);
    byte[] types = new byte[(int) length];
    System.arraycopy(kernel.data(), start, types, 0, ready);
    return kernel.read(types, ready) ? ByteBuffer.wrap(types) : null;
  }
}
