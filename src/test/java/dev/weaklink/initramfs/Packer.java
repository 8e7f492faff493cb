package dev.weaklink.initramfs;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.LZMAOutputStream;
import org.tukaani.xz.XZ;
import org.tukaani.xz.XZOutputStream;

/** Every way an archive can be packed into an image. */
public enum Packer {
  NONE,
  GZIP,
  BZIP2,
  LZMA,
  XZ_CRC32,
  LZ4_LEGACY,
  LZ4_FRAME,
  ZSTD,
  ZSTD_WITHOUT_CHECKSUM;

  public byte[] pack(byte[] contents) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = open(packed)) {
      out.write(contents);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this == LZ4_LEGACY ? legacy(packed.toByteArray()) : packed.toByteArray();
  }

  private OutputStream open(OutputStream packed) throws IOException {
    return switch (this) {
      case NONE -> packed;
      case GZIP -> new GZIPOutputStream(packed);
      case BZIP2 -> new BZip2CompressorOutputStream(packed);
      case LZMA -> new LZMAOutputStream(packed, new LZMA2Options(1), -1);
      case XZ_CRC32 -> new XZOutputStream(packed, new LZMA2Options(1), XZ.CHECK_CRC32);
      case LZ4_LEGACY -> new BlockLZ4CompressorOutputStream(packed);
      case LZ4_FRAME -> new FramedLZ4CompressorOutputStream(packed);
      case ZSTD -> new ZstdOutputStreamNoFinalizer(packed).setChecksum(true);
      case ZSTD_WITHOUT_CHECKSUM -> new ZstdOutputStreamNoFinalizer(packed);
    };
  }

  private static byte[] legacy(byte[] block) {
    return ByteBuffer.allocate(8 + block.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(0x184c2102)
        .putInt(block.length)
        .put(block)
        .array();
  }
}
