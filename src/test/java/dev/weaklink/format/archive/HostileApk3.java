package dev.weaklink.format.archive;

import com.github.luben.zstd.Zstd;
import dev.weaklink.testing.Payloads;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;

/** Crafted packages of apk's third format, each with one attack. */
public enum HostileApk3 {
    TRUNCATED {
        @Override
        public byte[] bytes() {
            byte[] noise = new byte[100_000];
            new java.util.Random(3).nextBytes(noise);
            byte[] whole = named().directory(DIRECTORY).file("m.ko", noise).deflated();
            return Arrays.copyOf(whole, whole.length / 2);
        }
    },
    /** A directory whose files are beyond the end of the list. */
    OUTSIDE {
        @Override
        public byte[] bytes() {
            AdbWriter values = new AdbWriter();
            int directory = values.object(values.text("lib"), 0, AdbWriter.objectAt(1 << 20));
            return listing(values, values.object(directory));
        }
    },
    /** A list whose directories refer to each other. */
    CYCLE {
        @Override
        public byte[] bytes() {
            AdbWriter values = new AdbWriter();
            int name = values.text("lib");
            int itself = AdbWriter.objectAt(values.position());
            return listing(values, values.object(name, AdbWriter.NOTHING, itself));
        }
    },
    /** A module of 10 GB of zeros. */
    DEFLATED_BOMB {
        @Override
        public byte[] bytes() {
            byte[] zeros = deflatedInPart(new byte[MEGABYTES << 20]);
            byte[] packed = Payloads.concat(deflatedInPart(beforeZeros()), repeated(zeros));
            return Payloads.concat("ADBd".getBytes(StandardCharsets.US_ASCII), packed);
        }
    },
    ZSTD_BOMB {
        @Override
        public byte[] bytes() {
            byte[] zeros = Zstd.compress(new byte[MEGABYTES << 20]);
            return Apk3Writer.named(2, Payloads.concat(Zstd.compress(beforeZeros()), repeated(zeros)));
        }
    },
    /** A million files that share one entry of the list. */
    MILLION {
        @Override
        public byte[] bytes() {
            AdbWriter values = new AdbWriter();
            int[] files = new int[1_000_000];
            Arrays.fill(files, values.object(values.text("f.ko")));
            return listing(values, values.object(values.object(values.text("lib"), 0, values.object(files))));
        }
    },
    TRAVERSAL {
        @Override
        public byte[] bytes() {
            return named().directory("../../..")
                    .file("escaped.ko", "x")
                    .directory("/")
                    .file("escaped.ko", "")
                    .directory("lib")
                    .file("../../escaped.ko", "x")
                    .symlink("link.ko", "../../../../etc/passwd")
                    .symlink("out", "/")
                    .directory("lib/out")
                    .file("escaped.ko", "")
                    .deflated();
        }
    },
    /** Data blocks in another order than the list of files. */
    DISORDER {
        @Override
        public byte[] bytes() {
            byte[] a = AdbWriter.data(1, 1, new byte[8]);
            byte[] b = AdbWriter.data(1, 2, new byte[8]);
            AdbWriter values = new AdbWriter();
            int[] files = {
                values.object(values.text("a.ko"), 0, values.number(8)),
                values.object(values.text("b.ko"), 0, values.number(8))
            };
            int directory = values.object(values.text("lib"), 0, values.object(files));
            return Payloads.concat(listing(values, values.object(directory)), b, a);
        }
    };

    static final String DIRECTORY = "lib/modules/6.1/extra";
    private static final int MEGABYTES = 10;
    private static final int MANY = 1000;
    private static final long ZEROS = ((long) MEGABYTES << 20) * MANY;

    public abstract byte[] bytes();

    static Apk3Writer named() {
        return Apk3Writer.named("m", "1");
    }

    static byte[] listing(AdbWriter values, int directories) {
        int info = values.object(values.text("m"), values.text("1"));
        byte[] block = values.withRoot(values.object(info, directories));
        return AdbWriter.file(AdbWriter.block(AdbBlocks.VALUES, block));
    }

    static byte[] beforeZeros() {
        AdbWriter values = new AdbWriter();
        int file = values.object(values.text("m.ko"), 0, values.number(ZEROS));
        int directory = values.object(values.text(DIRECTORY), 0, values.object(file));
        byte[] header = AdbWriter.extendedHeader(AdbBlocks.DATA, 16 + 8 + ZEROS);
        return Payloads.concat(listing(values, values.object(directory)), header, AdbWriter.dataOf(1, 1, new byte[0]));
    }

    static byte[] repeated(byte[] part) {
        byte[][] all = new byte[MANY][];
        Arrays.fill(all, part);
        return Payloads.concat(all);
    }

    /**
     * Returns a part of a deflate stream. Any number of such parts can be concatenated, because none is marked as the
     * last and none refers to another.
     */
    static byte[] deflatedInPart(byte[] plain) {
        Deflater deflater = new Deflater(9, true);
        deflater.setInput(plain);
        byte[] packed = new byte[1 << 20];
        int length = deflater.deflate(packed, 0, packed.length, Deflater.FULL_FLUSH);
        deflater.end();
        return Arrays.copyOf(packed, length);
    }
}
