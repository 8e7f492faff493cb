package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;

/** Hands over all entries of a tar archive. */
final class TarEntries {
  private TarEntries() {}

  static void walk(InputStream in, PackageWalk walk) throws IOException {
    TarReader tar = new TarReader(in);
    for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
      walk.entry(entry, tar.contents());
    }
  }
}
