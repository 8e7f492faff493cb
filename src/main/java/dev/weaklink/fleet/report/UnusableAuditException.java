package dev.weaklink.fleet.report;

import java.io.IOException;
import java.io.Serial;

/** A file that is no audit as this program writes them; the message says why, on one line. */
public final class UnusableAuditException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  /** With one line. */
  public UnusableAuditException(String message) {
    super(message);
  }
}
