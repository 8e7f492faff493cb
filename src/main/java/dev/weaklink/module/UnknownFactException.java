package dev.weaklink.module;

/**
 * A fact was asked for that is not known of a module: of one that a node reports, only what the
 * node says is. Thrown so that nothing can take what is unknown for something that was seen.
 */
public final class UnknownFactException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnknownFactException(String fact) {
    super(fact + " of a module that was only reported", null, false, false);
  }
}
