package dev.weaklink.codec;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Bytes that are appended up to a limit, in an array that is reused from file to file. */
final class GrowingBuffer {
  /** How the message begins when contents are longer than the limit, which follows. */
  static final String TOO_LONG = "contents exceed the limit of ";

  private static final int INITIAL_CAPACITY = 1 << 20;

  /**
   * What each of the workers may take without asking. One giant file must not keep its memory for
   * the rest of the run, so no more than this is kept for the next file.
   */
  private static final int FREE_CAPACITY =
      (int)
          Math.max(
              4 << 20,
              Math.min(
                  32 << 20,
                  Runtime.getRuntime().maxMemory()
                      / (8L * Runtime.getRuntime().availableProcessors())));

  private final int limit;
  private final @Nullable Runnable beforeLarge;
  private byte[] array = new byte[0];
  private int length;

  GrowingBuffer(int limit) {
    this(limit, null);
  }

  /** With what is to be done before an array is made that is larger than a worker's share. */
  GrowingBuffer(int limit, @Nullable Runnable beforeLarge) {
    this.limit = limit;
    this.beforeLarge = beforeLarge;
  }

  byte[] array() {
    return array;
  }

  int length() {
    return length;
  }

  /** Room behind the bytes written so far. */
  int room() {
    return array.length - length;
  }

  void clear() {
    length = 0;
    if (array.length > FREE_CAPACITY) {
      array = new byte[0];
    }
  }

  /** Counts bytes that were written straight into {@link #array()} behind {@link #length()}. */
  void advance(int count) throws CodecException {
    length += count;
    requireWithinLimit(length);
  }

  /**
   * Makes room for at least one byte more, growing the array to twice its size. At the limit there
   * is room for one byte too many, so that a decoder can distinguish the end from too much.
   */
  void grow() throws CodecException {
    if (room() == 0) {
      enlarge(length + 1L);
    }
  }

  /** Makes room for {@code count} bytes more. */
  void reserve(long count) throws CodecException {
    requireWithinLimit(length + count);
    if (count > room()) {
      enlarge(length + count);
    }
  }

  /** Appends all that a stream has; one byte more than the limit is an error. */
  void readAll(InputStream in) throws IOException {
    int count = 0;
    while (count >= 0) {
      advance(count);
      grow();
      count = in.read(array, length, room());
    }
  }

  private void requireWithinLimit(long size) throws CodecException {
    if (size > limit) {
      throw new CodecException(TOO_LONG + limit + " bytes");
    }
  }

  private void enlarge(long needed) throws CodecException {
    long doubled = Math.max(INITIAL_CAPACITY, 2L * array.length);
    // The last step is to the limit itself, so that old and new are never more than 1.5 times it.
    long wanted = doubled > limit / 2 && array.length > 0 ? limit + 1L : Math.max(needed, doubled);
    array = resized((int) Math.min(limit + 1L, wanted));
  }

  private byte[] resized(int capacity) throws CodecException {
    if (capacity > FREE_CAPACITY && beforeLarge != null) {
      beforeLarge.run();
    }
    try {
      byte[] larger = new byte[capacity];
      System.arraycopy(array, 0, larger, 0, length);
      return larger;
    } catch (OutOfMemoryError e) {
      // One array the heap has no room for; everything else is intact.
      throw new CodecException("not enough memory for " + capacity + " bytes of contents", e);
    }
  }
}
