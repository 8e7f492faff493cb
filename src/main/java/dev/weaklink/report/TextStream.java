package dev.weaklink.report;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A writer of strings as UTF-8 to a stream that stays open. */
public final class TextStream {
    private final OutputStream out;

    public TextStream(OutputStream out) {
        this.out = out;
    }

    public TextStream add(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    public TextStream add(long number) throws IOException {
        return add(Long.toString(number));
    }
}
