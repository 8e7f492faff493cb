package dev.weaklink.format.codec;

import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.Packing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Payloads of kernel images in every compression. */
public final class PayloadTarget implements FuzzTarget {
    private static final int LIMIT = 1 << 20;

    @Override
    public void take(byte[] bytes) {
        Compression compression = bytes.length == 0 ? null : Compression.of(bytes, 0, bytes.length);
        if (compression == null) {
            return;
        }
        try {
            PayloadDecoder.Decoded decoded = PayloadDecoder.decode(bytes, 0, bytes.length, compression, 0, LIMIT);
            if (decoded.length() > LIMIT) {
                throw new IllegalStateException("more than the limit: " + decoded.length());
            }
        } catch (IOException e) {
            FileTarget.requireOneLine(e.getMessage());
        }
    }

    @Override
    public List<byte[]> seeds() {
        byte[] text = "a text a text a text a text, and some more".getBytes(StandardCharsets.US_ASCII);
        List<byte[]> seeds = new ArrayList<>();
        for (Packing packing : Packing.values()) {
            seeds.add(packing.pack(text));
        }
        // The block decodes to "abcd", repeated twice.
        byte[] block = {0x15, 'a', 'b', 'c', 'd', (byte) 0xec, 0, 0x11, 0, 0};
        seeds.add(Packing.lzop("abcdabcdabcd".getBytes(StandardCharsets.US_ASCII), block));
        return seeds;
    }
}
