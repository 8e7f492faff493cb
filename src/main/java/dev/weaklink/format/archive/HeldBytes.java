package dev.weaklink.format.archive;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Arrays;

/**
 * A small file from a package, as stored.
 *
 * @param array an array that contains the file's bytes and possibly other bytes; not to be changed
 * @param offset the start of the file's bytes
 * @param length the number of the file's bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record HeldBytes(byte[] array, int offset, int length) {
    public byte[] bytes() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    public InputStream stream() {
        return new ByteArrayInputStream(array, offset, length);
    }
}
