package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;

/** A Debian package, deb(5): an ar archive of debian-binary, control.tar and data.tar. */
final class DebPackage implements OpenPackage {
  private final InputStream in;
  private final ArReader ar;
  private final PackageInfo info;

  private DebPackage(InputStream in, ArReader ar, PackageInfo info) {
    this.in = in;
    this.ar = ar;
    this.info = info;
  }

  static DebPackage open(InputStream in, PackageBudget budget) throws IOException {
    ArReader ar = new ArReader(in);
    if (!"debian-binary".equals(ar.next())) {
      throw new MalformedArchiveException("an ar archive, but not a Debian package");
    }
    int major = ar.contents().read();
    if (major != '2' || ar.contents().read() != '.') {
      throw new MalformedArchiveException("a Debian package of an unknown format");
    }
    String member = member(ar);
    if (!member.startsWith("control.tar")) {
      throw new MalformedArchiveException("corrupt Debian package: no control archive in front");
    }
    return new DebPackage(in, ar, ControlArchive.read(ar.contents(), PackageKind.DEB, budget));
  }

  /** Members that begin with an underscore are to be ignored. */
  private static String member(ArReader ar) throws IOException {
    String name = ar.next();
    while (name != null && name.startsWith("_")) {
      name = ar.next();
    }
    if (name == null) {
      throw new MalformedArchiveException("truncated: a Debian package without its data");
    }
    return name;
  }

  @Override
  public PackageInfo info() {
    return info;
  }

  @Override
  public void walk(PackageWalk walk) throws IOException {
    String member = member(ar);
    if (!member.startsWith("data.tar")) {
      throw new MalformedArchiveException(
          "corrupt Debian package: no data behind its control archive");
    }
    try (UnpackedStream data = UnpackedStream.open(ar.contents(), walk.budget())) {
      TarEntries.walk(data, walk);
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
