package dev.weaklink.fleet.nodeset;

import java.io.Serial;

/** Text that is not a set of nodes, or one that is too large; the message says why, on one line. */
public final class MalformedNodeSetException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  MalformedNodeSetException(String message) {
    super(message);
  }
}
