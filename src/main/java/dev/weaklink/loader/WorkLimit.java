package dev.weaklink.loader;

/**
 * How much work a search may do, in units that do not depend on the machine: so that the same
 * question always has the same answer.
 */
final class WorkLimit {
  private static final long ALL = 60_000_000;

  private long left = ALL;

  void use(long amount) {
    left -= amount;
  }

  long left() {
    return Math.max(left, 0);
  }
}
