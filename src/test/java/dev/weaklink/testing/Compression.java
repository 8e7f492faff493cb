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

/** The ways that modules and symvers files are compressed on disk. */
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
    /** With a CRC32 check, as modules are: the kernel's own decompressor knows no other. */
    XZ_CRC32(".xz") {
        @Override
        public byte[] compress(byte[] plain) {
            return through(out -> new XZOutputStream(out, new LZMA2Options(), XZ.CHECK_CRC32), plain);
        }
    },
    /** With a CRC64 check, as xz(1) compresses unless it is told otherwise. */
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

    /** What is added to the file's name. */
    public String ending() {
        return ending;
    }

    /** The bytes as they are on disk. */
    public abstract byte[] compress(byte[] plain);

    /** The two halves, each in a stream of its own. */
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
