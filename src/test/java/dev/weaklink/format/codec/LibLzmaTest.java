package dev.weaklink.format.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tukaani.xz.FilterOptions;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.SingleXZInputStream;
import org.tukaani.xz.UnsupportedOptionsException;
import org.tukaani.xz.X86Options;
import org.tukaani.xz.XZ;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/** Compares liblzma with the decoders in Java. */
class LibLzmaTest {
    private static final int MEMORY_KIB = 16 << 10;
    private static final int[] CHECKS = {XZ.CHECK_NONE, XZ.CHECK_CRC32, XZ.CHECK_CRC64, XZ.CHECK_SHA256};

    private final LibLzma library = LibLzma.forBytes(Integer.MAX_VALUE);

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(library != null, "needs Java 22 or newer, and liblzma.so.5");
    }

    @Test
    void decodesConcatenatedAndDamagedStreamsAlike() throws IOException {
        for (int seed = 0; seed < 80; seed++) {
            Random random = new Random(seed);
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            for (int i = random.nextInt(3); i >= 0; i--) {
                packed.writeBytes(pack(random, sample(random)));
                packed.writeBytes(new byte[random.nextInt(3) * 4]);
            }
            byte[] bytes = damaged(packed.toByteArray(), random);
            assertThat(ofLibrary(bytes, false)).as("seed %d", seed).isEqualTo(inJava(bytes, false));
            assertThat(ofLibrary(bytes, true)).as("seed %d", seed).isEqualTo(inJava(bytes, true));
        }
    }

    @Test
    void refusesDictionariesBeyondTheLimit() throws IOException {
        for (int dictionary = 1 << 22; dictionary <= 1 << 26; dictionary += (1 << 24) - 4096) {
            LZMA2Options options = new LZMA2Options(0);
            options.setDictSize(dictionary);
            byte[] packed = pack(new byte[1 << 16], XZ.CHECK_CRC32, options);
            assertThat(ofLibrary(packed, false)).isEqualTo(inJava(packed, false));
        }
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        switch (random.nextInt(4)) {
            case 1 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            case 2 -> {
                return Arrays.copyOf(bytes, random.nextInt(bytes.length));
            }
            case 3 -> {
                return Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(9));
            }
            default -> {}
        }
        return bytes;
    }

    /** Returns compressible bytes, mostly more than the buffers between the decoders have. */
    private static byte[] sample(Random random) {
        byte[] bytes = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(200_000)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (random.nextInt(20) == 0 ? random.nextInt() : i / 7);
        }
        return bytes;
    }

    private static byte[] pack(Random random, byte[] bytes) throws IOException {
        LZMA2Options lzma = new LZMA2Options(random.nextInt(2));
        int check = CHECKS[random.nextInt(CHECKS.length)];
        return random.nextBoolean() ? pack(bytes, check, lzma) : pack(bytes, check, new X86Options(), lzma);
    }

    private static byte[] pack(byte[] bytes, int check, FilterOptions... filters) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (XZOutputStream xz = new XZOutputStream(out, filters, check)) {
            xz.write(bytes);
        }
        return out.toByteArray();
    }

    private String ofLibrary(byte[] packed, boolean one) {
        InputStream in = new ByteArrayInputStream(packed);
        return outcome(in, () -> LibLzmaStream.open(library, in, MEMORY_KIB, one, p -> java(p, one)));
    }

    private static String inJava(byte[] packed, boolean one) {
        InputStream in = new ByteArrayInputStream(packed);
        return outcome(in, () -> java(in, one));
    }

    private static InputStream java(InputStream in, boolean one) throws IOException {
        return one ? new SingleXZInputStream(in, MEMORY_KIB) : new XZInputStream(in, MEMORY_KIB);
    }

    private interface Opening {
        InputStream open() throws IOException;
    }

    /** Returns the decoded bytes and the bytes left behind the stream, or the reason why the data cannot be decoded. */
    private static String outcome(InputStream in, Opening opening) {
        try {
            InputStream stream = opening.open();
            byte[] decoded = stream.readAllBytes();
            int left = in.available();
            stream.close();
            return decoded.length + " bytes " + Arrays.hashCode(decoded) + ", left " + left;
        } catch (MemoryLimitException e) {
            return "memory " + e.getMemoryNeeded();
        } catch (UnsupportedOptionsException e) {
            return "unsupported";
        } catch (IOException e) {
            // For some damage, one decoder reports truncated data and the other reports corrupt data.
            return "damaged";
        }
    }
}
