package dev.weaklink.testing;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorOutputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.LZMAOutputStream;
import org.tukaani.xz.X86Options;
import org.tukaani.xz.XZOutputStream;

/** The compressions of kernel images, initramfs archives and packages. */
public enum Packing {
    NONE {
        @Override
        public byte[] pack(byte[] plain) {
            return plain.clone();
        }
    },
    GZIP {
        @Override
        OutputStream over(OutputStream out) throws IOException {
            return new GZIPOutputStream(out);
        }
    },
    XZ {
        @Override
        OutputStream over(OutputStream out) throws IOException {
            return new XZOutputStream(out, new LZMA2Options(0), org.tukaani.xz.XZ.CHECK_CRC32);
        }
    },
    /** The xz format with the filter for x86, as in kernel images (scripts/xz_wrap.sh). */
    XZ_X86 {
        @Override
        OutputStream over(OutputStream out) throws IOException {
            LZMA2Options options = new LZMA2Options(1);
            return new XZOutputStream(
                    out, new org.tukaani.xz.FilterOptions[] {new X86Options(), options}, org.tukaani.xz.XZ.CHECK_CRC32);
        }
    },
    ZSTD {
        @Override
        public byte[] pack(byte[] plain) {
            return Zstd.compress(plain);
        }
    },
    ZSTD_WITH_CHECKSUM {
        @Override
        OutputStream over(OutputStream out) throws IOException {
            return new ZstdOutputStreamNoFinalizer(out).setChecksum(true);
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
    LZ4_FRAME {
        @Override
        OutputStream over(OutputStream out) throws IOException {
            return new FramedLZ4CompressorOutputStream(out);
        }
    },
    /** The legacy format of {@code lz4 -l}. */
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
    },
    /** The lzop format with stored blocks, as lzop(1) writes them for incompressible data. */
    LZO {
        @Override
        public byte[] pack(byte[] plain) {
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            file.writeBytes(LZO_HEADER);
            for (int at = 0; at < plain.length; at += LZO_BLOCK) {
                byte[] block = Arrays.copyOfRange(plain, at, Math.min(at + LZO_BLOCK, plain.length));
                file.writeBytes(lzoBlock(block, block));
            }
            file.writeBytes(new byte[4]);
            return file.toByteArray();
        }
    };

    /** The magic, versions, method, level, the flag for an Adler-32 of each block, and no name. */
    private static final byte[] LZO_HEADER = Payloads.concat(
            new byte[] {(byte) 0x89, 'L', 'Z', 'O', 0, 0x0d, 0x0a, 0x1a, 0x0a},
            new byte[] {0x10, 0x40, 0x20, (byte) 0xa0, 0x09, 0x40, 3, 9},
            new byte[] {3, 0, 0, 1},
            new byte[4 + 8 + 1 + 4]);

    private static final int LZO_BLOCK = 256 << 10;
    private static final int LZ4_BLOCK = 8 << 20;

    /** Returns the packed bytes without a size. */
    public byte[] pack(byte[] plain) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = over(bytes)) {
            out.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Returns the packed bytes followed by the unpacked size, which the kernel's build appends. gzip contains the size
     * itself.
     */
    public byte[] packWithSize(byte[] plain) {
        byte[] packed = pack(plain);
        return this == GZIP ? packed : Payloads.concat(packed, Payloads.u32(plain.length));
    }

    OutputStream over(OutputStream out) throws IOException {
        throw new UnsupportedOperationException(name());
    }

    /** Returns a file of lzop(1) with one block, which is already packed. */
    public static byte[] lzop(byte[] plain, byte[] packed) {
        return Payloads.concat(LZO_HEADER, lzoBlock(plain, packed), new byte[4]);
    }

    private static byte[] lzoBlock(byte[] plain, byte[] packed) {
        Adler32 adler = new Adler32();
        adler.update(plain);
        byte[] head = ByteBuffer.allocate(12)
                .putInt(plain.length)
                .putInt(packed.length)
                .putInt((int) adler.getValue())
                .array();
        return Payloads.concat(head, packed);
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
