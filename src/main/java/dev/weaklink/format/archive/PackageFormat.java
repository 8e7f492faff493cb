package dev.weaklink.format.archive;

import dev.weaklink.format.codec.Compression;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;

/** What a file is by its first bytes, and how it is opened. */
enum PackageFormat {
  RPM,
  AR,
  APK_V3,
  TAR,
  /** Compressed; a tar archive of any kind, if a package at all. */
  PACKED,
  NONE;

  /** A tar header has no magic that all of them have, but a checksum. */
  static final int HEAD_LENGTH = TarReader.RECORD;

  private static final int[] RPM_MAGIC = {0xed, 0xab, 0xee, 0xdb};

  static PackageFormat of(byte[] head, int length) {
    if (isRpm(head, length)) {
      return RPM;
    }
    if (ArReader.hasMagic(head, length)) {
      return AR;
    }
    if (Apk3Package.hasMagic(head, length)) {
      return APK_V3;
    }
    if (TarReader.isHeader(head, length)) {
      return TAR;
    }
    return Compression.of(head, 0, length) == Compression.NONE ? NONE : PACKED;
  }

  private static boolean isRpm(byte[] head, int length) {
    for (int i = 0; i < RPM_MAGIC.length; i++) {
      if (i >= length || (head[i] & 0xff) != RPM_MAGIC[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Opens a package of this format.
   *
   * @throws NoPackageException if it is none
   * @throws MalformedArchiveException if it is one that cannot be read
   */
  OpenPackage open(InputStream in, PackageBudget budget) throws IOException {
    switch (this) {
      case RPM:
        return RpmPackage.open(in, budget);
      case AR:
        return DebPackage.open(in, budget);
      case APK_V3:
        return Apk3Package.open(in, budget);
      case TAR:
      case PACKED:
        return openTar(UnpackedStream.open(in, budget), budget);
      default:
        throw new NoPackageException();
    }
  }

  private static OpenPackage openTar(InputStream unpacked, PackageBudget budget)
      throws IOException {
    try {
      BufferedInputStream buffered = new BufferedInputStream(unpacked);
      buffered.mark(HEAD_LENGTH);
      byte[] head = buffered.readNBytes(HEAD_LENGTH);
      buffered.reset();
      if (!TarReader.isHeader(head, head.length)) {
        throw new NoPackageException();
      }
      return openTar(buffered, new TarReader(buffered), budget);
    } catch (IOException e) {
      unpacked.close();
      throw e;
    }
  }

  private static OpenPackage openTar(InputStream in, TarReader tar, PackageBudget budget)
      throws IOException {
    RawEntry first = tar.next();
    if (first != null && IpkPackage.beginsWith(first)) {
      return IpkPackage.open(in, tar, budget);
    }
    if (first != null && ApkPackage.beginsWith(first)) {
      return ApkPackage.open(in, first, tar, budget);
    }
    return new TarBundle(in, tar, first);
  }
}
