package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A tar archive of files, of packages, or of both. */
final class TarBundle implements OpenPackage {
  private static final PackageInfo INFO = PackageInfo.unnamed(PackageKind.TAR);

  private final InputStream in;
  private final TarReader tar;
  private final @Nullable RawEntry first;

  /** A bundle whose first entry has been looked at; null if it has none. */
  TarBundle(InputStream in, TarReader tar, @Nullable RawEntry first) {
    this.in = in;
    this.tar = tar;
    this.first = first;
  }

  @Override
  public PackageInfo info() {
    return INFO;
  }

  @Override
  public void walk(PackageWalk walk) throws IOException {
    for (RawEntry entry = first; entry != null; entry = tar.next()) {
      String path = walk.accept(entry);
      if (path == null) {
        continue;
      }
      if (path.equals("/oci-layout")) {
        walk.problem(path, "an image layout in a compressed archive: decompress it first");
      }
      if (entry.type() == EntryType.FILE) {
        file(path, entry, walk);
      } else {
        walk.visit(path, entry, InputStream.nullInputStream());
      }
    }
  }

  private void file(String path, RawEntry entry, PackageWalk walk) throws IOException {
    NestedPackage nested = new NestedPackage(path, tar.contents(), walk);
    if (!nested.walk()) {
      walk.visit(path, entry, nested.contents());
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
