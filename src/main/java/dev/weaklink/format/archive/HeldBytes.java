package dev.weaklink.format.archive;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Arrays;

/**
 * A small file that was taken from a package, as stored.
 *
 * @param array where its bytes are, among others; not to be changed
 * @param offset where they start
 * @param length how many they are
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record HeldBytes(byte[] array, int offset, int length) {
    /** A copy of its bytes. */
    public byte[] bytes() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    /** Its bytes from the first on. */
    public InputStream stream() {
        return new ByteArrayInputStream(array, offset, length);
    }
}
