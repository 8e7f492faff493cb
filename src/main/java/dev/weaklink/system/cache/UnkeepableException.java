package dev.weaklink.system.cache;

/** Facts that a segment has no way to hold; they are then read again next time. */
final class UnkeepableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnkeepableException(String message) {
    super(message);
  }
}
