package dev.weaklink.codec;

import java.io.IOException;

/** Decodes a whole compressed file that is in memory. */
interface Decoder {
  /**
   * Appends what the first {@code length} bytes decode to.
   *
   * @throws IOException if they are truncated or corrupt, or decode to more than the buffer's limit
   */
  void decode(byte[] packed, int length, GrowingBuffer out) throws IOException;
}
