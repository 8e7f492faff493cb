package dev.weaklink.sys;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The last bytes of a stream, in bounded memory; written by one thread and read by another. */
final class OutputTail {
  private static final int FIRST_SIZE = 1 << 13;

  private final int limit;
  private byte[] ring;
  private long total;

  OutputTail(int limit) {
    this.limit = limit;
    this.ring = new byte[Math.min(limit, FIRST_SIZE)];
  }

  synchronized void add(byte[] bytes, int count) {
    grow(total + count);
    for (int i = Math.max(0, count - ring.length); i < count; i++) {
      ring[(int) ((total + i) % ring.length)] = bytes[i];
    }
    total += count;
  }

  /** Until the limit is reached, nothing has come round, so that copying keeps the order. */
  private void grow(long wanted) {
    if (wanted > ring.length && ring.length < limit) {
      ring = Arrays.copyOf(ring, (int) Math.min(limit, Math.max(wanted, 2L * ring.length)));
    }
  }

  synchronized boolean truncated() {
    return total > ring.length;
  }

  synchronized String text() {
    int length = (int) Math.min(total, ring.length);
    byte[] tail = new byte[length];
    for (int i = 0; i < length; i++) {
      tail[i] = ring[(int) ((total - length + i) % ring.length)];
    }
    return new String(tail, StandardCharsets.UTF_8);
  }
}
