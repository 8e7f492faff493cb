package dev.weaklink.explain;

import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.TypeChange.MemberChange;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;

/** Why a CRC changed, in words, escaped. */
public final class CauseText {
    /** Changed members shown of one type. */
    private static final int MOST_MEMBERS = 6;

    private static final int MOST_NAMES = 8;

    private static final int MOST_OTHERS = 2;

    private CauseText() {}

    /** "992 symbols", and of how many of the modules asked about, if they are several. */
    static String counts(CauseCount count, ExplainReport report) {
        String symbols = Numbers.of(count.symbols().size(), "symbol");
        return report.users().isEmpty() || report.driver() != null
                ? symbols
                : symbols + " of " + Numbers.of(report.modules(count), "module");
    }

    /** "layout changed (2496 -> 2504 bytes)". */
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

    /** What else may be behind these symbols, the worst and the one after it, or all; a line each. */
    static List<String> others(CauseCount count, boolean all) {
        List<String> lines = new ArrayList<>();
        int symbols = count.symbols().size();
        count.others().forEach((other, of) -> {
            if (all || lines.size() < MOST_OTHERS) {
                String some = of == symbols ? "" : ": " + Numbers.grouped(of) + " of them";
                String title = Escape.text(other.title());
                lines.add("may also be due to " + title + ", " + kind(other) + some);
            }
        });
        return lines;
    }

    /** A line for each member that went or came, as in a diff. */
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

    /** Why the CRCs of the two say nothing of each other, a sentence each. */
    static List<String> incomparable(ExplainReport report) {
        List<String> sentences = new ArrayList<>();
        report.incomparable().forEach(reason -> sentences.add("CRCs cannot be compared: " + Escape.text(reason)));
        return sentences;
    }

    /** What a stablelist makes of a difference, a sentence each. */
    static List<String> judgement(ExplainReport report) {
        List<String> sentences = new ArrayList<>();
        List<String> broken = report.broken();
        if (broken != null) {
            String names = String.join(", ", broken.subList(0, Math.min(MOST_NAMES, broken.size())))
                    + (broken.size() > MOST_NAMES ? ", ..." : "");
            sentences.add(
                    broken.isEmpty()
                            ? "No symbol on the stablelist is broken."
                            : "KERNEL ABI guarantee broken: "
                                    + Numbers.of(broken.size(), "symbol")
                                    + " on the stablelist: "
                                    + Escape.text(names));
        }
        return sentences;
    }

    /** "by _dev_err(dev) -> struct device.class -> ..."; empty where the symbol itself changed. */
    public static String path(CrcCause cause) {
        if (cause.path().size() < 2) {
            return "";
        }
        return "by " + Escape.text(String.join(" -> ", cause.way()));
    }
}
