package dev.weaklink.format.archive;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes valid and invalid cpio archives for tests. */
final class CpioWriter {
    static final int FILE = 0100644;
    static final int DIRECTORY = 0040755;
    static final int SYMLINK = 0120777;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int nextInode = 1;

    CpioWriter file(String name, byte[] contents) {
        return entry(name, FILE, nextInode++, 1, contents.length, contents);
    }

    CpioWriter directory(String name) {
        return entry(name, DIRECTORY, nextInode++, 2, 0, new byte[0]);
    }

    CpioWriter symlink(String name, String target) {
        byte[] bytes = target.getBytes(StandardCharsets.UTF_8);
        return entry(name, SYMLINK, nextInode++, 1, bytes.length, bytes);
    }

    /** Adds an entry whose stated size need not match its contents. */
    CpioWriter entry(String name, int mode, int inode, int links, long size, byte[] contents) {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        long[] fields = {
            inode, mode, 0, 0, links, 0, size, 8, 1, 0, 0, nameBytes.length + 1L, 0,
        };
        text("070701");
        for (long field : fields) {
            text(hex(field));
        }
        out.writeBytes(nameBytes);
        out.write(0);
        pad();
        out.writeBytes(contents);
        pad();
        return this;
    }

    /** Adds an entry of rpm's stripped form. */
    CpioWriter stripped(int index, byte[] contents) {
        text("07070X" + hex(index));
        pad();
        out.writeBytes(contents);
        pad();
        return this;
    }

    /** Returns the archive with its trailer. */
    byte[] bytes() {
        entry("TRAILER!!!", 0, 0, 1, 0, new byte[0]);
        return withoutTrailer();
    }

    byte[] withoutTrailer() {
        return out.toByteArray();
    }

    private void pad() {
        while (out.size() % 4 != 0) {
            out.write(0);
        }
    }

    private void text(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String hex(long value) {
        return String.format("%08X", value);
    }
}
