package dev.weaklink.initramfs;

import java.io.IOException;
import java.io.Serial;

/** Why an image cannot be read; the message is the reason, without the file's name. */
final class ImageException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  ImageException(String reason) {
    super(reason);
  }

  ImageException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
