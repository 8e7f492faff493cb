package dev.weaklink.archive;

import java.io.IOException;
import java.io.InputStream;

/** How the bytes of a stream are decoded. */
interface Decoding {
  /** The decoded stream; what comes out of it is not bounded. Closing it closes the other. */
  InputStream decoded(InputStream raw, PackageLimits limits) throws IOException;

  /** Whether the bytes are taken as they are. */
  boolean isPlain();

  /** Why decoding failed, in one line. */
  String reason(IOException e, PackageLimits limits);
}
