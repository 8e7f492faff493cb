package dev.weaklink.format.codec;

import dev.weaklink.sys.IoReason;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** A file's decoded contents, up to a limit; failures name the file. */
final class BoundedStream extends FilterInputStream {
  private final Path file;
  private final Limits limits;
  private long left;

  BoundedStream(Path file, Limits limits, InputStream decoded) {
    super(decoded);
    this.file = file;
    this.limits = limits;
    this.left = limits.maxBytes();
  }

  @Override
  public int read() throws UnreadableFileException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws UnreadableFileException {
    try {
      int count = in.read(bytes, offset, length);
      left -= Math.max(count, 0);
      if (left < 0) {
        throw new CodecException("contents exceed the limit of " + limits.maxBytes() + " bytes");
      }
      return count;
    } catch (IOException e) {
      throw new UnreadableFileException(file, IoReason.of(e), e);
    }
  }

  @Override
  public long skip(long count) throws IOException {
    return readNBytes((int) Math.min(count, 8192)).length;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
