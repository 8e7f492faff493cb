package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A package of apk's second format, apk-package(5): gzip members, whose contents joined are one tar
 * archive of signatures, a description and files.
 */
final class ApkPackage implements OpenPackage {
  private static final String OPERATORS = "<>=~";

  private final InputStream in;
  private final TarReader tar;
  private final PackageInfo info;

  private ApkPackage(InputStream in, TarReader tar, PackageInfo info) {
    this.in = in;
    this.tar = tar;
    this.info = info;
  }

  /** Whether a tar archive that begins with this entry is one. */
  static boolean beginsWith(RawEntry first) {
    return first.name().equals(".PKGINFO") || first.name().startsWith(".SIGN.");
  }

  /** Reads on from the first entry. */
  static ApkPackage open(InputStream in, RawEntry first, TarReader tar, PackageBudget budget)
      throws IOException {
    RawEntry entry = first;
    while (entry != null && entry.name().startsWith(".SIGN.")) {
      budget.spendEntry(entry.name().length());
      entry = tar.next();
    }
    if (entry == null || !entry.name().equals(".PKGINFO")) {
      throw new MalformedArchiveException("corrupt apk package: no .PKGINFO behind the signature");
    }
    return new ApkPackage(in, tar, parse(ControlArchive.text(tar.contents())));
  }

  private static PackageInfo parse(String text) {
    String name = "";
    String version = "";
    String product = null;
    List<PackageRelation> requires = new ArrayList<>();
    for (String line : text.split("\n")) {
      int equals = line.indexOf(" = ");
      if (equals < 0) {
        continue;
      }
      String value = line.substring(equals + 3).strip();
      switch (line.substring(0, equals)) {
        case "pkgname" -> name = value;
        case "pkgver" -> version = value;
        case "origin" -> product = value;
        case "depend" -> addRequired(requires, value);
        default -> {}
      }
    }
    return new PackageInfo(PackageKind.APK, name, version, product, requires);
  }

  /** An exclamation mark makes a conflict of a dependency. */
  private static void addRequired(List<PackageRelation> requires, String value) {
    if (!value.startsWith("!")) {
      requires.add(relation(value));
    }
  }

  private static PackageRelation relation(String text) {
    int start = 0;
    while (start < text.length() && OPERATORS.indexOf(text.charAt(start)) < 0) {
      start++;
    }
    int end = start;
    while (end < text.length() && OPERATORS.indexOf(text.charAt(end)) >= 0) {
      end++;
    }
    return new PackageRelation(
        text.substring(0, start), text.substring(start, end), text.substring(end));
  }

  @Override
  public PackageInfo info() {
    return info;
  }

  @Override
  public void walk(PackageWalk walk) throws IOException {
    for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
      if (!isMetadata(entry)) {
        walk.entry(entry, tar.contents());
      }
    }
  }

  /** Scripts and the like are dotted files at the top. */
  private static boolean isMetadata(RawEntry entry) {
    return entry.name().startsWith(".") && entry.name().indexOf('/') < 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
