package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The archive of a deb or ipk that holds its control file. */
final class ControlArchive {
  /** Kernel packages have a few KiB. */
  static final int MAX_SIZE = 4 << 20;

  private ControlArchive() {}

  static PackageInfo read(InputStream packed, PackageKind kind, PackageBudget budget)
      throws IOException {
    try (UnpackedStream in = UnpackedStream.open(packed, budget)) {
      TarReader tar = new TarReader(in);
      for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
        budget.spendEntry(entry.name().length());
        if ("/control".equals(EntryPath.of(entry.name()))) {
          return ControlFields.parse(text(tar.contents())).info(kind);
        }
      }
    }
    throw new MalformedArchiveException("its control archive has no control file");
  }

  /** A description, which is text. */
  static String text(InputStream contents) throws IOException {
    byte[] bytes = contents.readNBytes(MAX_SIZE + 1);
    if (bytes.length > MAX_SIZE) {
      throw new MalformedArchiveException("its description is longer than " + MAX_SIZE + " bytes");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
