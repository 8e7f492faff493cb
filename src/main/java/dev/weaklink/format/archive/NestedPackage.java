package dev.weaklink.format.archive;

import dev.weaklink.sys.IoReason;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A file in a bundle, which may be a package itself. */
final class NestedPackage {
  private final String path;
  private final PackageWalk walk;
  private final BufferedInputStream contents;

  NestedPackage(String path, InputStream contents, PackageWalk walk) {
    this.path = path;
    this.walk = walk;
    this.contents = new BufferedInputStream(contents);
  }

  /** The whole file, while {@link #walk} has returned false. */
  InputStream contents() {
    return contents;
  }

  /** Goes through the package; false if the file is none. One that is broken is a problem. */
  boolean walk() throws IOException {
    try {
      return walkIfPackage();
    } catch (LimitExceededException e) {
      throw e;
    } catch (IOException e) {
      walk.problem(path, IoReason.of(e));
      return true;
    }
  }

  private boolean walkIfPackage() throws IOException {
    if (walk.wantsPackage(path)) {
      return false;
    }
    contents.mark(PackageFormat.HEAD_LENGTH);
    byte[] head = contents.readNBytes(PackageFormat.HEAD_LENGTH);
    contents.reset();
    PackageFormat format = PackageFormat.of(head, head.length);
    // A wanted file that is merely compressed is a module or a list, and wanted as it is.
    if (format == PackageFormat.NONE || format == PackageFormat.PACKED && walk.wants(path)) {
      return false;
    }
    try (OpenPackage inner = open(format)) {
      if (inner == null) {
        return true;
      }
      if (walk.mayDescend()) {
        inner.walk(walk.into(path, inner.info()));
      } else {
        walk.problem(path, "a package nested too deep; not read");
      }
    }
    return true;
  }

  /** Null for a file nobody wants that is compressed and, unpacked, no archive; for lists, too. */
  private @Nullable OpenPackage open(PackageFormat format) throws IOException {
    try {
      return format.open(contents, walk.budget());
    } catch (LimitExceededException e) {
      throw e;
    } catch (MalformedArchiveException e) {
      if (format == PackageFormat.PACKED || e instanceof NoPackageException) {
        return null;
      }
      throw e;
    }
  }
}
