package dev.weaklink.kernel.image;

import dev.weaklink.sys.UnreadableException;

/**
 * A kernel taken out of its image, for those who look for something in it.
 *
 * @param data its bytes; only the first {@code length} count
 * @param release its release (uname -r)
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record UnpackedKernel(byte[] data, int length, String release) {

  /**
   * Unpacks the kernel in the first {@code length} bytes of an image.
   *
   * @throws UnreadableException if they are no kernel image, or one that cannot be unpacked
   */
  public static UnpackedKernel of(byte[] image, int length) throws UnreadableException {
    ByteView bytes = ContentsFinder.find(image, length).bytes();
    String release = Banner.release(Banner.find(bytes));
    if (release == null || release.isEmpty()) {
      throw new UnreadableException("no Linux kernel was found in it");
    }
    return new UnpackedKernel(bytes.data(), bytes.length(), release);
  }
}
