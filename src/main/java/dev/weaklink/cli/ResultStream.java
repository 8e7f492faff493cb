package dev.weaklink.cli;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output whose reader may leave: once it has, everything written is dropped without a
 * word, as SIGPIPE would do, but the exit status can still be computed. Other errors are thrown.
 */
final class ResultStream extends OutputStream {
  private final OutputStream target;
  private boolean readerIsGone;

  ResultStream(OutputStream target) {
    this.target = target;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    if (readerIsGone) {
      return;
    }
    try {
      target.write(bytes, offset, length);
    } catch (IOException e) {
      if (!isReaderGone(e)) {
        throw e;
      }
      readerIsGone = true;
    }
  }

  @Override
  public void flush() throws IOException {
    if (!readerIsGone) {
      target.flush();
    }
  }

  /** EPIPE, or EBADF where the program was started with standard output closed. */
  private static boolean isReaderGone(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("Broken pipe") || message.contains("Bad file descriptor");
  }
}
