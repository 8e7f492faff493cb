package dev.weaklink.format.archive;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/** Counts the bytes taken from a stream. */
final class CountingStream extends FilterInputStream {
  private final LongConsumer listener;
  private long count;

  CountingStream(InputStream in) {
    this(in, more -> {});
  }

  /** {@code listener} takes how many more there were each time. */
  CountingStream(InputStream in, LongConsumer listener) {
    super(in);
    this.listener = listener;
  }

  long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int value = in.read();
    count(value < 0 ? 0 : 1);
    return value;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = in.read(bytes, offset, length);
    count(Math.max(read, 0));
    return read;
  }

  @Override
  public long skip(long wanted) throws IOException {
    long skipped = in.skip(wanted);
    count(skipped);
    return skipped;
  }

  private void count(long more) {
    count += more;
    listener.accept(more);
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
