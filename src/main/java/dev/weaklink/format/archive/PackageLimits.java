package dev.weaklink.format.archive;

/**
 * What one package may cost to read, everything inside it included.
 *
 * @param entries the most entries
 * @param nameBytes the most characters all names and link targets may have together
 * @param entryBytes the largest entry whose contents are handed over
 * @param totalBytes the most bytes its streams may hold, after decompression
 * @param expansion how many times its size a compressed stream may grow; the first 256 MiB are free
 * @param depth how deep packages may be nested; what is no bundle of packages has depth 1
 * @param decoderKib the most memory, in KiB, one stream may ask for to be decoded
 */
public record PackageLimits(
    int entries,
    long nameBytes,
    long entryBytes,
    long totalBytes,
    int expansion,
    int depth,
    int decoderKib) {
  /** Far above any kernel or driver bundle, and still safe on a small machine. */
  public static final PackageLimits DEFAULT =
      new PackageLimits(500_000, 64L << 20, 512L << 20, 16L << 30, 250, 4, 128 << 10);

  public PackageLimits {
    if (entries < 0 || nameBytes < 0 || entryBytes < 0 || totalBytes < 0 || expansion < 1) {
      throw new IllegalArgumentException("limit out of range");
    }
    if (depth < 1 || decoderKib < 1) {
      throw new IllegalArgumentException("limit out of range");
    }
  }
}
