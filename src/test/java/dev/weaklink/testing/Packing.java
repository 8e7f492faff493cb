package dev.weaklink.testing;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.LZMAOutputStream;
import org.tukaani.xz.X86Options;
import org.tukaani.xz.XZ;
import org.tukaani.xz.XZOutputStream;

/** The ways that kernel images are packed (scripts/Makefile.lib). */
public enum Packing {
  GZIP {
    @Override
    OutputStream over(OutputStream out) throws IOException {
      return new GZIPOutputStream(out);
    }
  },
  /** With the filter for x86, as there. */
  XZ_X86 {
    @Override
    OutputStream over(OutputStream out) throws IOException {
      LZMA2Options options = new LZMA2Options(1);
      return new XZOutputStream(
          out, new org.tukaani.xz.FilterOptions[] {new X86Options(), options}, XZ.CHECK_CRC32);
    }
  },
  ZSTD {
    @Override
    public byte[] pack(byte[] plain) {
      return Zstd.compress(plain);
    }
  },
  LZMA {
    @Override
    OutputStream over(OutputStream out) throws IOException {
      return new LZMAOutputStream(out, new LZMA2Options(1), -1);
    }
  },
  BZIP2 {
    @Override
    OutputStream over(OutputStream out) throws IOException {
      return new BZip2CompressorOutputStream(out);
    }
  },
  LZ4 {
    @Override
    public byte[] pack(byte[] plain) {
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      frame.writeBytes(new byte[] {0x02, 0x21, 0x4c, 0x18});
      for (int at = 0; at < plain.length; at += LZ4_BLOCK) {
        byte[] block = lz4Block(plain, at, Math.min(LZ4_BLOCK, plain.length - at));
        frame.writeBytes(Payloads.u32(block.length));
        frame.writeBytes(block);
      }
      return frame.toByteArray();
    }
  };

  private static final int LZ4_BLOCK = 8 << 20;

  /** The packed bytes alone. */
  public byte[] pack(byte[] plain) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = over(bytes)) {
      out.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** With the size behind it that the kernel's build appends to all but gzip, which has its own. */
  public byte[] packWithSize(byte[] plain) {
    byte[] packed = pack(plain);
    return this == GZIP ? packed : Payloads.concat(packed, Payloads.u32(plain.length));
  }

  OutputStream over(OutputStream out) throws IOException {
    throw new UnsupportedOperationException(name());
  }

  private static byte[] lz4Block(byte[] plain, int offset, int length) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new BlockLZ4CompressorOutputStream(bytes)) {
      out.write(plain, offset, length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
