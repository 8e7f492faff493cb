package dev.weaklink.format.elf;

/** An ELF file whose structure cannot be followed. The message says what is wrong, not where. */
public final class MalformedElfException extends Exception {
  private static final long serialVersionUID = 1;

  public MalformedElfException(String message) {
    super(message);
  }

  public MalformedElfException(String message, Throwable cause) {
    super(message, cause);
  }
}
