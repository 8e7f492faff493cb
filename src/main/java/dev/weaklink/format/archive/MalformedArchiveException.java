package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.Serial;

/**
 * Why an archive cannot be read; the message is the reason, in one line and without a file name.
 */
public class MalformedArchiveException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  MalformedArchiveException(String reason) {
    super(reason);
  }

  MalformedArchiveException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
