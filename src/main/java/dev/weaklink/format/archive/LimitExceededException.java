package dev.weaklink.format.archive;

import java.io.Serial;

/** A package costs more than its reader may spend; nothing more of it is read. */
final class LimitExceededException extends MalformedArchiveException {
  @Serial private static final long serialVersionUID = 1L;

  LimitExceededException(String reason) {
    super(reason);
  }
}
