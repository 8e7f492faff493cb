package dev.weaklink.fleet.intake;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Lines of a stream, one held at a time; of one that is too long nothing is held. */
final class Lines {
  /** In bytes: what a node with all its modules' tables reports, several times over. */
  static final int MAX_LENGTH = 64 << 20;

  private static final int BUFFER_SIZE = 64 << 10;

  /** A line's buffer is kept for the next one up to here. */
  private static final int KEPT = 1 << 20;

  private final InputStream in;
  private final int maxLength;
  private final byte[] buffer = new byte[BUFFER_SIZE];
  private int position;
  private int end;
  private byte[] line = new byte[BUFFER_SIZE];
  private int length;
  private long number;
  private boolean tooLong;

  Lines(InputStream in, int maxLength) {
    this.in = in;
    this.maxLength = maxLength;
  }

  /** Goes to the next line that is not empty; false at the end. A last line needs no line feed. */
  boolean next() throws IOException {
    number++;
    length = 0;
    tooLong = false;
    if (line.length > KEPT) {
      line = new byte[BUFFER_SIZE];
    }
    boolean any = false;
    while (fill()) {
      if (!any && buffer[position] == '\n') {
        // Not one step a line of a reader above: a few bytes can unpack to a billion of them.
        position++;
        number++;
        continue;
      }
      any = true;
      int feed = lineFeed(buffer, position, end);
      append(feed - position);
      position = feed;
      if (feed < end) {
        position++;
        return true;
      }
    }
    return any;
  }

  /** The place of the next line feed, or the end. */
  private static int lineFeed(byte[] bytes, int start, int end) {
    int at = start;
    while (at < end && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  private boolean fill() throws IOException {
    if (position == end) {
      position = 0;
      end = Math.max(0, in.read(buffer, 0, buffer.length));
    }
    return end > 0;
  }

  private void append(int count) {
    if (tooLong || count > maxLength - length) {
      tooLong = true;
      length = 0;
      return;
    }
    if (count > line.length - length) {
      long doubled = Math.min(maxLength, 2L * line.length);
      line = Arrays.copyOf(line, (int) Math.max(doubled, length + count));
    }
    System.arraycopy(buffer, position, line, length, count);
    length += count;
  }

  /** The line's bytes, of which the first {@link #length} count. Not a copy. */
  byte[] bytes() {
    return line;
  }

  /** Without the line feed; 0 if it is too long. */
  int length() {
    return length;
  }

  /** Counted from 1. */
  long number() {
    return number;
  }

  boolean isTooLong() {
    return tooLong;
  }
}
