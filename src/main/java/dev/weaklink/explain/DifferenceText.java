package dev.weaklink.explain;

import dev.weaklink.loader.CauseText;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;

/** Sentences about the difference of two kernels, escaped for a terminal. */
final class DifferenceText {
    private static final int MOST_NAMES = 8;

    private static final int MOST_OTHERS = 2;

    static final int MOST_CAUSES = 40;

    private DifferenceText() {}

    static String counts(CauseCount count, ExplainReport report) {
        String symbols = Numbers.of(count.symbols().size(), "symbol");
        return report.users().isEmpty() || report.driver() != null
                ? symbols
                : symbols + " of " + Numbers.of(report.modules(count), "module");
    }

    static List<String> others(CauseCount count, boolean all) {
        List<String> lines = new ArrayList<>();
        int symbols = count.symbols().size();
        count.others().forEach((other, of) -> {
            if (all || lines.size() < MOST_OTHERS) {
                String some = of == symbols ? "" : ": " + Numbers.grouped(of) + " of them";
                String title = Escape.text(other.title());
                lines.add("may also be due to " + title + ", " + CauseText.kind(other) + some);
            }
        });
        return lines;
    }

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
        return List.of(causes + ": only members of a type moved, or weaklink does not know which types the source files"
                + " include (known for Linux " + measured + ")");
    }

    /**
     * Returns a warning such as "struct dev, layout changed (8 -> 64 bytes), used by 12 symbols whose CRC is equal,
     * such as dev_open: ...".
     */
    static String unnoticed(UnnoticedChange change) {
        return Escape.text(change.change().title())
                + ", "
                + CauseText.kind(change.change())
                + ", used by "
                + Numbers.of(change.symbols().size(), "symbol")
                + " whose CRC is equal, such as "
                + Escape.text(change.symbols().get(0))
                + ": the kernel may load modules that were built with the other layout; rebuild modules that use this"
                + " type";
    }

    static List<String> incomparable(ExplainReport report) {
        List<String> sentences = new ArrayList<>();
        report.incomparable().forEach(reason -> sentences.add("CRCs cannot be compared: " + Escape.text(reason)));
        return sentences;
    }

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
}
