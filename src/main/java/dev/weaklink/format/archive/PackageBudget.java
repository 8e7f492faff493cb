package dev.weaklink.format.archive;

/** What has been spent on one package, everything inside it included. */
final class PackageBudget {
  private static final long FREE_EXPANSION = 256L << 20;

  private final PackageLimits limits;
  private int entries;
  private long nameBytes;
  private long bytes;

  PackageBudget(PackageLimits limits) {
    this.limits = limits;
  }

  PackageLimits limits() {
    return limits;
  }

  /** Counts an entry and the characters of its names. */
  void spendEntry(long names) throws LimitExceededException {
    entries++;
    nameBytes += names;
    if (entries > limits.entries()) {
      throw new LimitExceededException("more than " + limits.entries() + " entries; rest not read");
    }
    if (nameBytes > limits.nameBytes()) {
      throw new LimitExceededException("the names of its entries are too long; rest not read");
    }
  }

  /** Counts bytes that came out of a stream. */
  void spendBytes(long count) throws LimitExceededException {
    bytes += count;
    if (bytes > limits.totalBytes()) {
      throw new LimitExceededException(
          "holds more than " + limits.totalBytes() + " bytes; rest not read");
    }
  }

  /** Checks how much one compressed stream has grown so far. */
  void requirePlausible(long packed, long unpacked) throws LimitExceededException {
    if (unpacked > FREE_EXPANSION && unpacked / limits.expansion() > packed) {
      throw new LimitExceededException(
          "expands to more than " + limits.expansion() + " times its size; rest not read");
    }
  }
}
