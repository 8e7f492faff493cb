package dev.weaklink.format.archive;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Lets a reader of headers have so many bytes and no more, so that it cannot be made to hoard. */
final class HeaderWindow extends FilterInputStream {
  private long left = Long.MAX_VALUE;
  private boolean ended;

  HeaderWindow(InputStream in) {
    super(in);
  }

  /** From now on only this many bytes are given out. */
  void limit(long bytes) {
    left = bytes;
  }

  /** Whether the end of the stream has been met. */
  boolean ended() {
    return ended;
  }

  @Override
  public int read() throws IOException {
    spend(1);
    int value = in.read();
    ended |= value < 0;
    return value;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = in.read(bytes, offset, (int) Math.min(length, Math.max(left, 1)));
    ended |= count < 0;
    spend(Math.max(count, 0));
    return count;
  }

  private void spend(long count) throws MalformedArchiveException {
    left -= count;
    if (left < 0) {
      throw new MalformedArchiveException("corrupt tar archive: a header is too long");
    }
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
