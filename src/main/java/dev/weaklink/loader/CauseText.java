package dev.weaklink.loader;

import dev.weaklink.loader.TypeChange.MemberChange;
import dev.weaklink.sys.Escape;
import java.util.ArrayList;
import java.util.List;

/** Describes the cause of a changed CRC for people, escaped for a terminal. */
public final class CauseText {
    private static final int MOST_MEMBERS = 6;

    private CauseText() {}

    /** Returns the kind of change, such as "layout changed (2496 -> 2504 bytes)". */
    public static String kind(TypeChange change) {
        return switch (change.change()) {
            case LAYOUT ->
                change.sizeBefore() != change.sizeAfter()
                        ? "layout changed (" + change.sizeBefore() + " -> " + change.sizeAfter() + " bytes)"
                        : "layout changed";
            case SIGNATURE -> "signature changed";
            case MEANING -> "same layout, new meaning possible";
            case SPELLING -> "spelling only, same layout";
        };
    }

    public static List<String> members(TypeChange change, boolean all) {
        List<String> lines = new ArrayList<>();
        int shown = 0;
        for (MemberChange member : change.members()) {
            if (shown++ == MOST_MEMBERS && !all) {
                lines.add("... and " + (change.members().size() - MOST_MEMBERS) + " more (-v)");
                break;
            }
            String before = member.before();
            String after = member.after();
            if (before != null && before.equals(after)) {
                lines.add("  " + Escape.text(before) + " (moved)");
                continue;
            }
            if (before != null) {
                lines.add("- " + Escape.text(before));
            }
            if (after != null) {
                lines.add("+ " + Escape.text(after));
            }
        }
        return lines;
    }

    public static String path(CrcCause cause) {
        if (cause.path().size() < 2) {
            return "";
        }
        return "by " + Escape.text(String.join(" -> ", cause.way()));
    }
}
