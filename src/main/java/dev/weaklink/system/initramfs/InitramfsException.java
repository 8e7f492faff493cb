package dev.weaklink.system.initramfs;

import java.io.IOException;
import java.io.Serial;

/** Why an image cannot be read; the message is the reason, without the file's name. */
final class InitramfsException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  InitramfsException(String reason) {
    super(reason);
  }
}
