package dev.weaklink.system.initramfs;

/**
 * What one image may cost to read.
 *
 * @param packedBytes the most the file may hold
 * @param unpackedBytes the most its compressed archives may unpack to, all together
 * @param entries the most entries its archives may have, all together
 * @param decoderKib the most memory, in KiB, an xz or lzma decoder may need
 */
record ImageLimits(long packedBytes, long unpackedBytes, int entries, int decoderKib) {
  /** Images with all firmware of a distribution unpack to about 1 GiB. */
  static final ImageLimits DEFAULT = new ImageLimits(2L << 30, 4L << 30, 200_000, 128 << 10);
}
