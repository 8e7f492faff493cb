package dev.weaklink.codec;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Compresses bytes for tests. */
final class Packed {
  private Packed() {}

  static byte[] as(Compression compression, byte[] contents) throws IOException {
    if (compression == Compression.NONE) {
      return contents;
    }
    if (compression == Compression.ZSTD) {
      return Zstd.compress(contents);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = stream(compression, bytes)) {
      out.write(contents);
    }
    return bytes.toByteArray();
  }

  private static OutputStream stream(Compression compression, OutputStream out) throws IOException {
    return compression == Compression.GZIP
        ? new GZIPOutputStream(out)
        : new XZOutputStream(out, new LZMA2Options(0));
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    return bytes.toByteArray();
  }
}
