package dev.weaklink.system.initramfs;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

/** An image cannot be read to its end; the message is one line with the file and the reason. */
public final class UnreadableImageException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final String reason;

  UnreadableImageException(Path file, String reason, Throwable cause) {
    super(file + ": " + reason, cause);
    this.reason = reason;
  }

  /** What is wrong, without the file's name. */
  public String reason() {
    return reason;
  }
}
