package dev.weaklink.kernel.store;

import java.io.IOException;
import java.io.Serial;

/** A kept kernel is not what it was when it was kept; the message says what is wrong. */
public final class CorruptEntryException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  CorruptEntryException(String message) {
    super(message);
  }

  CorruptEntryException(String message, Throwable cause) {
    super(message, cause);
  }
}
