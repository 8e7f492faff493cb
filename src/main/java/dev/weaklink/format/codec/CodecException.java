package dev.weaklink.format.codec;

import java.io.IOException;
import java.io.Serial;

/** Why a stream of bytes cannot be decoded; the message is the reason, without the file's name. */
public final class CodecException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  CodecException(String reason) {
    super(reason);
  }

  CodecException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
