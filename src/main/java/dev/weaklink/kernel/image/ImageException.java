package dev.weaklink.kernel.image;

import java.io.IOException;

/** Why a file cannot be used as a kernel image; the message is the reason, without its name. */
public final class ImageException extends IOException {
  private static final long serialVersionUID = 1L;

  ImageException(String reason) {
    super(reason);
  }

  ImageException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
