package dev.weaklink.rules.yaml;

/** Where something is in a text; line and column count from 1. */
record Place(int line, int column) {
  /** For a problem with the file as a whole. */
  static final Place WHOLE = new Place(0, 0);
}
