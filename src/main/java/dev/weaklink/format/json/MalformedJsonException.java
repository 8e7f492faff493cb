package dev.weaklink.format.json;

import java.io.IOException;
import java.io.Serial;

/** Not the JSON that was expected; the message says why, without the name of the file. */
public final class MalformedJsonException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  public MalformedJsonException(String message) {
    super(message);
  }
}
