package dev.weaklink.format.archive;

import java.io.Serial;

/** A file is of none of the formats of packages. */
final class NoPackageException extends MalformedArchiveException {
  @Serial private static final long serialVersionUID = 1L;

  NoPackageException() {
    super("not a package: neither rpm, deb, ipk, apk nor tar archive");
  }
}
