package dev.weaklink.cli;

/** What was typed makes no sense; the message is one line that says what is wrong. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
