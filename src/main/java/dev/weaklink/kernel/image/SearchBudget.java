package dev.weaklink.kernel.image;

/** How many entries may be looked at in all, so that no image can keep a search busy for long. */
final class SearchBudget {
  private int left = 1 << 20;

  /** Takes one; false if none is left. */
  boolean take() {
    return left-- > 0;
  }
}
