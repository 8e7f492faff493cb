package dev.weaklink.format.archive;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * An OpenWrt package: a tar archive of debian-binary, control.tar and data.tar. The data usually
 * comes before the control, and then waits in memory, packed.
 */
final class IpkPackage implements OpenPackage {
  private static final int MAX_HELD = 64 << 20;

  private final InputStream in;
  private final InputStream data;
  private final PackageInfo info;

  private IpkPackage(InputStream in, InputStream data, PackageInfo info) {
    this.in = in;
    this.data = data;
    this.info = info;
  }

  /** Whether a tar archive that begins with this entry is one. */
  static boolean beginsWith(RawEntry first) {
    return "/debian-binary".equals(EntryPath.of(first.name()));
  }

  /** Reads on behind the first entry. */
  static IpkPackage open(InputStream in, TarReader tar, PackageBudget budget) throws IOException {
    PackageInfo info = null;
    byte[] held = null;
    for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
      budget.spendEntry(entry.name().length());
      String path = String.valueOf(EntryPath.of(entry.name()));
      if (path.startsWith("/control.tar")) {
        info = ControlArchive.read(tar.contents(), PackageKind.IPK, budget);
      } else if (path.startsWith("/data.tar") && info != null) {
        return new IpkPackage(in, tar.contents(), info);
      } else if (path.startsWith("/data.tar")) {
        held = held(tar.contents());
      }
      if (info != null && held != null) {
        return new IpkPackage(in, new ByteArrayInputStream(held), info);
      }
    }
    throw new MalformedArchiveException("an OpenWrt package without " + missing(info));
  }

  private static String missing(@Nullable PackageInfo info) {
    return info == null ? "its control.tar" : "its data.tar";
  }

  private static byte[] held(InputStream contents) throws IOException {
    byte[] bytes = contents.readNBytes(MAX_HELD + 1);
    if (bytes.length > MAX_HELD) {
      throw new MalformedArchiveException("its data.tar is larger than " + MAX_HELD + " bytes");
    }
    return bytes;
  }

  @Override
  public PackageInfo info() {
    return info;
  }

  @Override
  public void walk(PackageWalk walk) throws IOException {
    try (UnpackedStream unpacked = UnpackedStream.open(data, walk.budget())) {
      TarEntries.walk(unpacked, walk);
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
