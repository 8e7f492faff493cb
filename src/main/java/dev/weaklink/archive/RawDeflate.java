package dev.weaklink.archive;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** The deflate format (RFC 1951) without a header or checksum around it, which has no magic. */
final class RawDeflate implements Decoding {
  private static final int BUFFER_SIZE = 64 << 10;

  @Override
  public InputStream decoded(InputStream raw, PackageLimits limits) {
    return new Inflated(raw);
  }

  @Override
  public boolean isPlain() {
    return false;
  }

  @Override
  public String reason(IOException e, PackageLimits limits) {
    return (e instanceof EOFException ? "truncated" : "corrupt") + " deflate data";
  }

  /**
   * Gives back the memory outside the heap, which its superclass does for an inflater of its own.
   */
  private static final class Inflated extends InflaterInputStream {
    Inflated(InputStream raw) {
      super(raw, new Inflater(true), BUFFER_SIZE);
    }

    @Override
    public void close() throws IOException {
      super.close();
      inf.end();
    }
  }
}
