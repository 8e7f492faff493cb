package dev.weaklink.testing;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZ;
import org.tukaani.xz.XZOutputStream;

/** The compressions of modules and symvers files. */
public enum Compression {
    NONE("") {
        @Override
        public byte[] compress(byte[] plain) {
            return plain.clone();
        }
    },
    GZIP(".gz") {
        @Override
        public byte[] compress(byte[] plain) {
            return through(GZIPOutputStream::new, plain);
        }
    },
    /** The xz format with a CRC32 check, the only check that the kernel's own decompressor supports. */
    XZ_CRC32(".xz") {
        @Override
        public byte[] compress(byte[] plain) {
            return through(out -> new XZOutputStream(out, new LZMA2Options(), XZ.CHECK_CRC32), plain);
        }
    },
    /** The xz format with a CRC64 check, the default of xz(1). */
    XZ_CRC64(".xz") {
        @Override
        public byte[] compress(byte[] plain) {
            return through(out -> new XZOutputStream(out, new LZMA2Options(), XZ.CHECK_CRC64), plain);
        }
    },
    ZSTD(".zst") {
        @Override
        public byte[] compress(byte[] plain) {
            return Zstd.compress(plain);
        }
    };

    private final String ending;

    Compression(String ending) {
        this.ending = ending;
    }

    public String ending() {
        return ending;
    }

    public abstract byte[] compress(byte[] plain);

    /** Compresses the two halves into separate streams. */
    public byte[] compressInTwo(byte[] plain) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(compress(Arrays.copyOf(plain, plain.length / 2)));
        bytes.writeBytes(compress(Arrays.copyOfRange(plain, plain.length / 2, plain.length)));
        return bytes.toByteArray();
    }

    private interface Encoder {
        OutputStream over(OutputStream out) throws IOException;
    }

    private static byte[] through(Encoder encoder, byte[] plain) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = encoder.over(bytes)) {
            out.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
