package dev.weaklink.system.initramfs;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes cpio archives of the "newc" format, entry by entry, also invalid ones. */
public final class CpioWriter {
    public static final int FILE = 0100644;
    static final int DIRECTORY = 040755;
    public static final int LINK = 0120777;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final String magic;

    public CpioWriter() {
        this("070701");
    }

    CpioWriter(String magic) {
        this.magic = magic;
    }

    /** Returns an archive with one file. */
    public static byte[] holding(String path, byte[] contents) {
        return new CpioWriter().entry(FILE, path, contents).end();
    }

    public CpioWriter file(String path, int size) {
        byte[] contents = new byte[size];
        Arrays.fill(contents, (byte) '0');
        return entry(FILE, path, contents);
    }

    public CpioWriter entry(int mode, String path, byte[] contents) {
        byte[] name = (path + "\0").getBytes(StandardCharsets.UTF_8);
        header(mode, contents.length, name.length);
        out.writeBytes(name);
        pad();
        out.writeBytes(contents);
        pad();
        return this;
    }

    /** Adds a header only, with any lengths. */
    public CpioWriter header(int mode, long size, long nameSize) {
        out.writeBytes(magic.getBytes(StandardCharsets.US_ASCII));
        long[] fields = {7, mode, 0, 0, 1, 0, size, 8, 1, 0, 0, nameSize, 0};
        for (long field : fields) {
            out.writeBytes(String.format("%08X", field).getBytes(StandardCharsets.US_ASCII));
        }
        return this;
    }

    public byte[] withoutTrailer() {
        return out.toByteArray();
    }

    public byte[] end() {
        entry(0, "TRAILER!!!", new byte[0]);
        return out.toByteArray();
    }

    private void pad() {
        while (out.size() % 4 != 0) {
            out.write(0);
        }
    }
}
