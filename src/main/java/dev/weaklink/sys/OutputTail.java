package dev.weaklink.sys;

import java.nio.charset.StandardCharsets;

/** The last bytes of a stream, in bounded memory; written by one thread and read by another. */
final class OutputTail {
  private final byte[] ring;
  private long total;

  OutputTail(int limit) {
    this.ring = new byte[limit];
  }

  synchronized void add(byte[] bytes, int count) {
    for (int i = Math.max(0, count - ring.length); i < count; i++) {
      ring[(int) ((total + i) % ring.length)] = bytes[i];
    }
    total += count;
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
