package dev.weaklink.kernel.image;

/** Some bytes of a file. */
record Section(int offset, int length) {
  int end() {
    return offset + length;
  }
}
