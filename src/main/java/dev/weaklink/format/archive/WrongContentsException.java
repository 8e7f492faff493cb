package dev.weaklink.format.archive;

import java.io.Serial;

/** A file in a package is not the one that the package describes; the others may be. */
final class WrongContentsException extends MalformedArchiveException {
  @Serial private static final long serialVersionUID = 1L;

  WrongContentsException(String algorithm) {
    super("its contents do not have the " + algorithm + " that the package states; left out");
  }
}
