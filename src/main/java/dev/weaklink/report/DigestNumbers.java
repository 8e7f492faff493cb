package dev.weaklink.report;

import dev.weaklink.sys.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;

/** Numbers for distinct texts, from 0, by 128 bits of their digests: a table without objects. */
final class DigestNumbers {
  private final MessageDigest sha256 = Sha256.start();

  /** Two for each text. */
  private long[] digests = new long[32];

  /** A number and one, or 0; never full. */
  private int[] slots = new int[32];

  private int size;

  /** How many texts there are. */
  int size() {
    return size;
  }

  /** The number of a text, the next one if it is new. */
  int numberOf(byte[] text) {
    ByteBuffer digest = ByteBuffer.wrap(sha256.digest(text));
    long high = digest.getLong();
    long low = digest.getLong();
    int slot = slot(high, low);
    if (slots[slot] == 0) {
      if (2 * size == digests.length) {
        digests = Arrays.copyOf(digests, (size + size / 2) * 2);
      }
      digests[2 * size] = high;
      digests[2 * size + 1] = low;
      slots[slot] = ++size;
      if (size > slots.length / 4 * 3) {
        grow();
        return size - 1;
      }
    }
    return slots[slot] - 1;
  }

  /** Where it is, or belongs. */
  private int slot(long high, long low) {
    int slot = (int) high & slots.length - 1;
    while (slots[slot] != 0
        && (digests[2 * slots[slot] - 2] != high || digests[2 * slots[slot] - 1] != low)) {
      slot = slot + 1 & slots.length - 1;
    }
    return slot;
  }

  private void grow() {
    slots = new int[2 * slots.length];
    for (int number = 0; number < size; number++) {
      slots[slot(digests[2 * number], digests[2 * number + 1])] = number + 1;
    }
  }
}
