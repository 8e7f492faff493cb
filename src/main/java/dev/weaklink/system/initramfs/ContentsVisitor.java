package dev.weaklink.system.initramfs;

import java.io.IOException;

/** Takes the contents of an image's module files one by one. */
@FunctionalInterface
interface ContentsVisitor {
  /**
   * A module's file.
   *
   * @param contents as packed into the archive, which may be a compressed module
   */
  void visit(InitramfsModule module, byte[] contents) throws IOException;
}
