package dev.weaklink.format.archive;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The bytes of one entry in the stream of an archive. Closing this stream leaves the archive open. Reads never go
 * beyond the end of the entry.
 */
final class EntryData extends InputStream {
    private final InputStream archive;
    private long left;

    EntryData(InputStream archive, long size) {
        this.archive = archive;
        this.left = size;
    }

    @Override
    public int read() throws IOException {
        if (left == 0) {
            return -1;
        }
        int value = archive.read();
        if (value < 0) {
            throw truncated();
        }
        left--;
        return value;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (left == 0) {
            return length == 0 ? 0 : -1;
        }
        int count = archive.read(bytes, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw truncated();
        }
        left -= count;
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = archive.skip(Math.min(count, left));
        left -= skipped;
        return skipped;
    }

    @Override
    public int available() {
        return (int) Math.min(left, Integer.MAX_VALUE);
    }

    void drain() throws IOException {
        while (left > 0) {
            if (skip(left) == 0) {
                // A stream may skip nothing for any reason; only a read finds the end.
                read();
            }
        }
    }

    private static IOException truncated() {
        return new EOFException("truncated: the last entry is cut off");
    }
}
