package dev.weaklink.fleet.intake;

import java.io.IOException;
import java.io.Serial;

/** JSON that is not about a node; the message says why, on one line. */
final class MalformedNodeException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  MalformedNodeException(String message) {
    super(message);
  }

  /** What it means for the node. */
  FailureLine failure() {
    return NodeLine.CUT_SHORT.equals(getMessage()) ? FailureLine.CUT_SHORT : FailureLine.DAMAGED;
  }
}
