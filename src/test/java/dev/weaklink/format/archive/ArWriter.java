package dev.weaklink.format.archive;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes ar archives for tests. */
final class ArWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    ArWriter() {
        text("!<arch>\n");
    }

    ArWriter member(String name, String contents) {
        return member(name, contents.getBytes(StandardCharsets.US_ASCII));
    }

    ArWriter member(String name, byte[] contents) {
        return member(name, contents, String.valueOf(contents.length));
    }

    /** Adds a member whose stated size need not match its contents. */
    ArWriter member(String name, byte[] contents, String size) {
        text(String.format("%-16s%-12s%-6s%-6s%-8s%-10s`\n", name, "0", "0", "0", "100644", size));
        out.writeBytes(contents);
        if (contents.length % 2 != 0) {
            out.write('\n');
        }
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    private void text(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
}
