package dev.weaklink.format.codec;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.FuzzTarget;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Files compressed with gzip, xz and zstd. */
public final class FileTarget implements FuzzTarget {
    private final FileContents contents = new FileContents(new Limits(1 << 20, 8 << 10));

    @Override
    public void take(byte[] bytes) throws Exception {
        try {
            contents.load("file", new ByteArrayInputStream(bytes), bytes.length);
            contents.bytes()[contents.length() - 1] ^= 1;
        } catch (UnreadableException e) {
            requireOneLine(e.reason());
        } catch (ArrayIndexOutOfBoundsException e) {
            if (contents.length() > 0) {
                throw e;
            }
        }
    }

    static void requireOneLine(String message) {
        if (message.isBlank() || message.indexOf('\n') >= 0) {
            throw new IllegalStateException("not one line: " + message);
        }
    }

    @Override
    public List<byte[]> seeds() throws Exception {
        byte[] text = "a text a text a text a text".getBytes(StandardCharsets.US_ASCII);
        List<byte[]> seeds = new ArrayList<>(List.of(text));
        for (dev.weaklink.testing.Compression one : dev.weaklink.testing.Compression.values()) {
            seeds.add(one.compress(text));
        }
        return seeds;
    }
}
