package dev.weaklink.links.transaction;

import java.io.IOException;

/** The root has no directory for a kernel. */
final class NoSuchKernelException extends IOException {
  NoSuchKernelException(String parent, String release) {
    super(parent + "/" + release + " does not exist");
  }
}
