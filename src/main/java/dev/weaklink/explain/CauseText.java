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

    /** The most causes that are shown; a ticket holds as many. */
    static final int MOST_CAUSES = 40;

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

    /** "7 CRCs of 10 symbols differ, 5 explained by 2 changes". */
    static String summary(KernelDifference difference) {
        int changed = difference.changed().size();
        String crcs = changed == 0 ? "no CRC" : Numbers.grouped(changed) + (changed == 1 ? " CRC" : " CRCs");
        String all =
                crcs + " of " + Numbers.of(difference.compared(), "symbol") + (changed <= 1 ? " differs" : " differ");
        int explained = difference.explained();
        if (changed == 0) {
            return all;
        }
        String changes = Numbers.of(difference.causes().size(), "change");
        return all
                + (explained == 0
                        ? ", none explained"
                        : ", " + Numbers.grouped(explained) + " explained by " + changes);
    }

    /** Returns a sentence about the causes that are guesses, if some are. */
    static List<String> certainty(KernelDifference difference) {
        int guesses = (int) difference.changed().stream()
                .map(SymbolChange::cause)
                .filter(cause -> cause != null && cause.certainty() == CrcCause.Certainty.GUESS)
                .count();
        if (guesses == 0) {
            return List.of();
        }
        int all = difference.explained();
        String causes = guesses == all
                ? guesses == 1 ? "The cause is a guess" : "All " + Numbers.grouped(all) + " causes are guesses"
                : Numbers.grouped(guesses) + " of " + Numbers.of(all, "cause")
                        + (guesses == 1 ? " is a guess" : " are guesses");
        String measured = String.join(" and ", Visibility.SERIES);
        return List.of(causes + ": which types a source file sees was measured on Linux " + measured + " only");
    }

    /** "struct dev, layout changed (8 -> 64 bytes), behind 12 symbols with equal CRCs: ...". */
    static String unnoticed(UnnoticedChange change) {
        return Escape.text(change.change().title())
                + ", "
                + kind(change.change())
                + ", behind "
                + Numbers.of(change.symbols().size(), "symbol")
                + " whose CRC is equal, such as "
                + Escape.text(change.symbols().get(0))
                + ": the kernel loads modules that were built with the other layout; rebuild those that use this type";
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
