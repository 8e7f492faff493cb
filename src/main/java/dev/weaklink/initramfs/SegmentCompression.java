package dev.weaklink.initramfs;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.tukaani.xz.LZMAInputStream;
import org.tukaani.xz.SingleXZInputStream;

/** How one archive of an image is packed, told by its magic (lib/decompress.c). */
enum SegmentCompression {
  NONE("cpio", '0', '7', '0', '7', '0'),
  GZIP("gzip", 0x1f, 0x8b),
  BZIP2("bzip2", 'B', 'Z', 'h'),
  LZMA("lzma", 0x5d, 0x00, 0x00),
  XZ("xz", 0xfd, '7', 'z', 'X', 'Z', 0x00),
  LZO("lzo", 0x89, 'L', 'Z', 'O'),
  LZ4_LEGACY("lz4", 0x02, 0x21, 0x4c, 0x18),
  LZ4_FRAME("lz4", 0x04, 0x22, 0x4d, 0x18),
  ZSTD("zstd", 0x28, 0xb5, 0x2f, 0xfd);

  private static final int MAGIC_LENGTH = 6;

  private final String label;
  private final int[] magic;

  SegmentCompression(String label, int... magic) {
    this.label = label;
    this.magic = magic;
  }

  /** Its name in messages. */
  String label() {
    return label;
  }

  /** What starts here; the stream stays where it is. */
  static SegmentCompression at(BufferedInputStream in) throws IOException {
    in.mark(MAGIC_LENGTH);
    byte[] bytes = in.readNBytes(MAGIC_LENGTH);
    in.reset();
    for (SegmentCompression compression : values()) {
      if (compression.matches(bytes)) {
        return compression;
      }
    }
    throw new ImageException("neither a cpio archive nor a known compression");
  }

  private boolean matches(byte[] bytes) {
    for (int i = 0; i < magic.length; i++) {
      if (i == bytes.length || (bytes[i] & 0xff) != magic[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * The contents of one stream of this compression.
   *
   * @param in supports marks, and is left behind the stream's last byte when all is read
   */
  InputStream open(InputStream in, int memoryKib) throws IOException {
    switch (this) {
      case GZIP:
        return new GzipCompressorInputStream(in, false);
      case BZIP2:
        return new BZip2CompressorInputStream(in, false);
      case LZMA:
        return new LZMAInputStream(in, memoryKib);
      case XZ:
        return new SingleXZInputStream(in, memoryKib);
      case LZ4_LEGACY:
        return new Lz4LegacyInputStream(in);
      case LZ4_FRAME:
        return new FramedLZ4CompressorInputStream(in, false);
      case ZSTD:
        return new ZstdInputStreamNoFinalizer(new ZstdFrame(in));
      default:
        throw new ImageException(label + " data cannot be read by this program");
    }
  }
}
