package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An object or array of an ADB block. What it has not, or has of another type than is asked for, is
 * read as nothing, as apk does.
 *
 * @param values the block
 * @param offset where in it the count lies, which the slots follow
 * @param size how many slots it has; they are numbered from 1
 */
record AdbObject(AdbValues values, int offset, int size) {
  private static final int WORD = 4;

  private int value(int slot) throws UnreadableException {
    return slot > size ? 0 : values.word(offset + (long) slot * WORD);
  }

  /** The object in a slot; one without slots for nothing. */
  AdbObject object(int slot) throws UnreadableException {
    return values.object(value(slot));
  }

  /** The number in a slot; 0 for nothing. */
  long number(int slot) throws UnreadableException {
    return values.number(value(slot));
  }

  /** The bytes in a slot; null for nothing. */
  byte @Nullable [] bytes(int slot) throws UnreadableException {
    return values.bytes(value(slot));
  }

  /** The text in a slot; empty for nothing. */
  String text(int slot) throws UnreadableException {
    byte[] bytes = bytes(slot);
    return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
  }
}
