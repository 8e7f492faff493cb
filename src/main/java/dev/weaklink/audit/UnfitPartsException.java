package dev.weaklink.audit;

import java.io.Serial;

/** Parts that do not make a whole; the message says why, on one line. */
public final class UnfitPartsException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  UnfitPartsException(String message) {
    super(message);
  }
}
