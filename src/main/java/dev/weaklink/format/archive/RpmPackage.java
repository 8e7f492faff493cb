package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An rpm package of format 3 or 4 (rpm, docs/manual/format_v3.md and format_v4.md): a lead of 96
 * bytes, a signature header padded to 8 bytes, the header, and a packed cpio archive. Signatures
 * and digests are not verified.
 */
final class RpmPackage implements OpenPackage {
  private static final int LEAD_LENGTH = 96;
  private static final int SIGNATURE_ALIGNMENT = 8;

  /** Packages of format 6 and later say theirs (docs/manual/format_v6.md). */
  private static final int NEWEST_FORMAT = 4;

  private static final int LESS = 2;
  private static final int GREATER = 4;
  private static final int EQUAL = 8;

  /** Required by packages whose payload has padding that only the newest rpm knows. */
  private static final String ALIGNED_PAYLOAD = "rpmlib(PayloadAlignment)";

  private final InputStream in;
  private final RpmHeader header;
  private final PackageInfo info;

  private RpmPackage(InputStream in, RpmHeader header) throws MalformedArchiveException {
    this.in = in;
    this.header = header;
    this.info = describe(header);
  }

  static RpmPackage open(InputStream in, PackageBudget budget) throws IOException {
    new EntryData(in, LEAD_LENGTH).drain();
    RpmHeader signature = RpmHeader.read(in);
    int padding = -signature.storeSize() & (SIGNATURE_ALIGNMENT - 1);
    new EntryData(in, padding).drain();
    RpmPackage rpm = new RpmPackage(in, RpmHeader.read(in));
    budget.spendEntry(0);
    rpm.requireReadable();
    return rpm;
  }

  private void requireReadable() throws MalformedArchiveException {
    long[] version = header.numbers(RpmTag.RPM_FORMAT);
    if (version.length > 0 && version[0] > NEWEST_FORMAT) {
      throw new MalformedArchiveException(
          "an rpm package of format "
              + version[0]
              + ", which is not read; make a tar archive of it with rpm2archive and give that");
    }
    String format = header.string(RpmTag.PAYLOAD_FORMAT);
    if (!format.isEmpty() && !format.equals("cpio")) {
      throw new MalformedArchiveException("an rpm package whose payload is not a cpio archive");
    }
    for (PackageRelation required : info.requires()) {
      if (required.name().equals(ALIGNED_PAYLOAD)) {
        throw new MalformedArchiveException("an rpm package with an aligned payload, not read");
      }
    }
  }

  private static PackageInfo describe(RpmHeader header) throws MalformedArchiveException {
    return new PackageInfo(
        PackageKind.RPM,
        header.string(RpmTag.NAME),
        version(header),
        product(header.string(RpmTag.SOURCE_RPM)),
        requires(header));
  }

  /** Of {@code NAME-VERSION-RELEASE.src.rpm}, where neither version nor release has a dash. */
  private static @Nullable String product(String sourceRpm) {
    int release = sourceRpm.lastIndexOf('-');
    int version = sourceRpm.lastIndexOf('-', release - 1);
    return version <= 0 ? null : sourceRpm.substring(0, version);
  }

  private static String version(RpmHeader header) throws MalformedArchiveException {
    long[] epoch = header.numbers(RpmTag.EPOCH);
    return (epoch.length == 0 || epoch[0] == 0 ? "" : epoch[0] + ":")
        + header.string(RpmTag.VERSION)
        + "-"
        + header.string(RpmTag.RELEASE);
  }

  private static List<PackageRelation> requires(RpmHeader header) throws MalformedArchiveException {
    String[] names = header.strings(RpmTag.REQUIRE_NAME);
    long[] flags = header.numbers(RpmTag.REQUIRE_FLAGS);
    String[] versions = header.strings(RpmTag.REQUIRE_VERSION);
    List<PackageRelation> relations = new ArrayList<>(names.length);
    for (int i = 0; i < names.length; i++) {
      boolean compared = i < versions.length && !versions[i].isEmpty() && i < flags.length;
      relations.add(
          new PackageRelation(
              names[i], compared ? operator((int) flags[i]) : "", compared ? versions[i] : ""));
    }
    return relations;
  }

  private static String operator(int flags) {
    return ((flags & LESS) != 0 ? "<" : "")
        + ((flags & GREATER) != 0 ? ">" : "")
        + ((flags & EQUAL) != 0 ? "=" : "");
  }

  @Override
  public PackageInfo info() {
    return info;
  }

  @Override
  public void walk(PackageWalk walk) throws IOException {
    RpmFiles files = new RpmFiles(header);
    if (!files.anyWanted(walk)) {
      return;
    }
    try (UnpackedStream payload = UnpackedStream.open(in, walk.budget())) {
      new RpmPayload(payload, files, walk).walk();
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
