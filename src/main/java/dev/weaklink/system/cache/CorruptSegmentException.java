package dev.weaklink.system.cache;

import java.io.IOException;

/** A segment that is not what was once written. It is never shown to anybody. */
final class CorruptSegmentException extends IOException {
  CorruptSegmentException(String message) {
    super(message);
  }
}
