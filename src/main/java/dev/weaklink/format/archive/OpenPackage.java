package dev.weaklink.format.archive;

import java.io.Closeable;
import java.io.IOException;

/** A package whose description has been read and whose entries are still to come. */
interface OpenPackage extends Closeable {
  PackageInfo info();

  /** Goes through the entries; once. */
  void walk(PackageWalk walk) throws IOException;
}
