package dev.weaklink.format.codec;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

/** A file's contents cannot be had; the message is one line that names the file and the reason. */
public final class UnreadableFileException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final String message;
  private final String reason;

  /** Says of something that has no cause of its own what is wrong with it. */
  public UnreadableFileException(String name, String reason) {
    super(name + ": " + reason);
    this.message = name + ": " + reason;
    this.reason = reason;
  }

  UnreadableFileException(Path file, String reason, Throwable cause) {
    this(file.toString(), reason, cause);
  }

  UnreadableFileException(String name, String reason, Throwable cause) {
    super(name + ": " + reason, cause);
    this.message = name + ": " + reason;
    this.reason = reason;
  }

  @Override
  public String getMessage() {
    return message;
  }

  /** What is wrong, without the file's name. */
  public String reason() {
    return reason;
  }
}
