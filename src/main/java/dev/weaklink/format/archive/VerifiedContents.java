package dev.weaklink.format.archive;

import dev.weaklink.sys.ByteStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;

/** A file's contents, compared with their digest before the last of them are given out. */
final class VerifiedContents extends ByteStream {
  private final InputStream in;
  private final ContentDigest stated;
  private final MessageDigest digest;
  private long left;
  private boolean verified;

  VerifiedContents(InputStream in, long size, ContentDigest stated) {
    this.in = in;
    this.left = size;
    this.stated = stated;
    this.digest = stated.start();
  }

  /**
   * As for any stream.
   *
   * @throws WrongContentsException in place of the last bytes
   */
  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = in.read(bytes, offset, length);
    if (count > 0) {
      digest.update(bytes, offset, count);
      left -= count;
    }
    if (left == 0 && !verified) {
      verified = true;
      if (!stated.matches(digest)) {
        throw new WrongContentsException(stated.algorithm());
      }
    }
    return count;
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }
}
