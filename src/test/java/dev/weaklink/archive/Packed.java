package dev.weaklink.archive;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.LZMAOutputStream;
import org.tukaani.xz.XZOutputStream;

/** Packs bytes for tests. */
final class Packed {
  private Packed() {}

  static byte[] as(Packing packing, byte[] contents) {
    if (packing == Packing.NONE) {
      return contents;
    }
    if (packing == Packing.ZSTD) {
      return Zstd.compress(contents);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = stream(packing, bytes)) {
      out.write(contents);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static byte[] gzip(byte[] contents) {
    return as(Packing.GZIP, contents);
  }

  private static OutputStream stream(Packing packing, OutputStream out) throws IOException {
    return switch (packing) {
      case GZIP -> new GZIPOutputStream(out);
      case XZ -> new XZOutputStream(out, new LZMA2Options(0));
      case BZIP2 -> new BZip2CompressorOutputStream(out);
      case LZMA -> new LZMAOutputStream(out, new LZMA2Options(0), -1);
      default -> throw new IllegalArgumentException(packing.toString());
    };
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    return bytes.toByteArray();
  }
}
