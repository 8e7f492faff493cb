package dev.weaklink.sys;

import java.io.IOException;
import java.io.InputStream;

/** An input stream for subclasses that only implement reading into an array. */
public abstract class ByteStream extends InputStream {
    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public abstract int read(byte[] bytes, int offset, int length) throws IOException;
}
