package dev.weaklink.sys;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;

public final class ShippedText {
    private ShippedText() {}

    private interface Opener {
        InputStream open(InputStream in) throws IOException;
    }

    public static String of(String path) {
        return read(path, in -> in);
    }

    public static String unpacked(String path) {
        return read(path, GZIPInputStream::new);
    }

    private static String read(String path, Opener opener) {
        try (InputStream in = ShippedText.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("the program is incomplete: no " + path);
            }
            return new String(opener.open(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the program cannot be read: " + path, e);
        }
    }
}
