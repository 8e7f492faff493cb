package dev.weaklink.report;

import dev.weaklink.explain.CrcCause;
import dev.weaklink.explain.MemberChange;
import dev.weaklink.explain.TypeChange;
import dev.weaklink.sys.Escape;
import java.util.ArrayList;
import java.util.List;

/** Why a CRC changed, in words, escaped. */
final class CauseText {
  /** Changed members shown of one type. */
  private static final int MOST_MEMBERS = 6;

  private CauseText() {}

  /** "layout changed (2496 -> 2504 bytes)". */
  static String kind(TypeChange change) {
    return switch (change.change()) {
      case LAYOUT ->
          change.sizeBefore() != change.sizeAfter()
              ? "layout changed (" + change.sizeBefore() + " -> " + change.sizeAfter() + " bytes)"
              : "layout changed";
      case SIGNATURE -> "signature changed";
      case SPELLING -> "spelling only, same layout";
    };
  }

  /** A line for each member that went or came, as in a diff. */
  static List<String> members(TypeChange change, boolean all) {
    List<String> lines = new ArrayList<>();
    int shown = 0;
    for (MemberChange member : change.members()) {
      if (shown++ == MOST_MEMBERS && !all) {
        lines.add("... and " + (change.members().size() - MOST_MEMBERS) + " more (-v)");
        break;
      }
      String before = member.before();
      String after = member.after();
      if (before != null) {
        lines.add("- " + Escape.text(before));
      }
      if (after != null) {
        lines.add("+ " + Escape.text(after));
      }
    }
    return lines;
  }

  /** "by _dev_err -> struct device"; empty where the symbol itself changed. */
  static String path(CrcCause cause) {
    if (cause.path().size() < 2) {
      return "";
    }
    return "by " + Escape.text(String.join(" -> ", cause.path()));
  }
}
