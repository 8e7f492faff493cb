package dev.weaklink.format.archive;

import java.util.ArrayList;
import java.util.List;

/** Reads what a package of apk's third format says of itself (apk-tools src/apk_adb.h). */
final class Apk3Description {
  private static final int NAME = 1;
  private static final int VERSION = 2;
  private static final int ORIGIN = 7;
  private static final int DEPENDS = 15;

  private static final int RELATION_NAME = 1;
  private static final int RELATION_VERSION = 2;
  private static final int RELATION_MATCH = 3;

  /** Bits of how a version is compared (apk-tools src/apk_version.h). */
  private static final int EQUAL = 1;

  private static final int LESS = 2;
  private static final int GREATER = 4;
  private static final int FUZZY = 8;
  private static final int CONFLICT = 16;

  /** Most need some dozen. */
  private static final int MAX_RELATIONS = 1 << 16;

  private int characters;

  private Apk3Description() {}

  static PackageInfo read(AdbObject info) throws MalformedArchiveException {
    String name = info.text(NAME);
    if (name.isEmpty()) {
      throw new MalformedArchiveException("corrupt apk package: it has no name");
    }
    String origin = info.text(ORIGIN);
    Apk3Description description = new Apk3Description();
    return new PackageInfo(
        PackageKind.APK,
        name,
        info.text(VERSION),
        origin.isEmpty() ? null : origin,
        description.relations(info.object(DEPENDS)));
  }

  /** Without those that are the opposite, conflicts. */
  private List<PackageRelation> relations(AdbObject array) throws MalformedArchiveException {
    if (array.size() > MAX_RELATIONS) {
      throw new MalformedArchiveException("corrupt apk package: too many relations");
    }
    List<PackageRelation> relations = new ArrayList<>();
    for (int i = 1; i <= array.size(); i++) {
      AdbObject relation = array.object(i);
      String name = paid(relation.text(RELATION_NAME));
      long match = relation.number(RELATION_MATCH);
      if (!name.isEmpty() && (match & CONFLICT) == 0) {
        String version = paid(relation.text(RELATION_VERSION));
        relations.add(new PackageRelation(name, version.isEmpty() ? "" : operator(match), version));
      }
    }
    return relations;
  }

  /** A text may be used again and again, and then need more memory than the package has bytes. */
  private String paid(String text) throws MalformedArchiveException {
    characters += text.length();
    if (characters > ControlArchive.MAX_SIZE) {
      throw new MalformedArchiveException(
          "its description is longer than " + ControlArchive.MAX_SIZE + " bytes");
    }
    return text;
  }

  /** In the words of apk(5): equality is not reported, and a fuzzy comparison includes it. */
  private static String operator(long match) {
    if (match == 0) {
      return "=";
    }
    return ((match & GREATER) != 0 ? ">" : "")
        + ((match & LESS) != 0 ? "<" : "")
        + ((match & FUZZY) != 0 ? "~" : (match & EQUAL) != 0 ? "=" : "");
  }
}
