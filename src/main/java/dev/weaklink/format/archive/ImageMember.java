package dev.weaklink.format.archive;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * An open file of an image.
 *
 * @param in stands at its beginning, and may go on behind its end
 * @param size in bytes
 */
record ImageMember(InputStream in, long size) implements Closeable {
  InputStream contents() {
    return new EntryData(in, size);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
