package dev.weaklink.rebuild;

/** A backend cannot do what is asked; the message is one line that says why and what to give. */
public final class UnusableJobException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnusableJobException(String message) {
    super(message);
  }
}
