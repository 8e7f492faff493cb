package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

/** A package cannot be read; the message is one line that names the file and the reason. */
public final class UnreadablePackageException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final String reason;

  UnreadablePackageException(Path file, String reason, Throwable cause) {
    super(file + ": " + reason, cause);
    this.reason = reason;
  }

  /** What is wrong, without the file's name. */
  public String reason() {
    return reason;
  }
}
