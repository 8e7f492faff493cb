package dev.weaklink.source;

/** A small file that was taken from a package, as stored. */
final class HeldBytes {
  private final byte[] bytes;

  /** Keeps the array. */
  HeldBytes(byte[] bytes) {
    this.bytes = bytes;
  }

  byte[] bytes() {
    return bytes;
  }
}
