package dev.weaklink.codec;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Says in words why the system refused a file; NIO puts it into the exception's class. */
final class IoReason {
  private IoReason() {}

  static String of(IOException e) {
    if (e instanceof CodecException) {
      return String.valueOf(e.getMessage());
    }
    if (e instanceof NoSuchFileException) {
      return "no such file";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof FileSystemException refused && refused.getReason() != null) {
      return refused.getReason();
    }
    return "cannot be read (" + e.getMessage() + ")";
  }
}
