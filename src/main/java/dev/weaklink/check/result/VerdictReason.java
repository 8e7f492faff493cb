package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

public final class VerdictReason {
    private static final int MOST_NAMES = 8;

    private VerdictReason() {}

    public static String of(Verdict verdict) {
        if (verdict.outcome() == Outcome.COMPATIBLE) {
            return "would load";
        }
        Effect effect = decisive(verdict);
        Finding first = null;
        int others = -1;
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == effect) {
                first = first == null ? finding : first;
                others++;
            }
        }
        if (first == null) {
            return FindingText.whyUndetermined(verdict);
        }
        return FindingText.line(first)
                + (others > 0 ? ", and " + Numbers.of(others, "more reason") : "")
                + (verdict.errno() == null ? "" : "; loading fails with " + verdict.errno());
    }

    /**
     * Returns the CRC mismatch of a symbol as a sentence without the CRCs; an empty string if the first reason is
     * another.
     *
     * @param release the release of the kernel that refuses the module, null if unknown
     */
    public static String inWords(Verdict verdict, @Nullable String release) {
        Finding first = null;
        int others = -1;
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == decisive(verdict)) {
                first = first == null ? finding : first;
                others += finding.layer() == Layer.SYMBOL_CRC ? 1 : 0;
            }
        }
        if (first == null || first.layer() != Layer.SYMBOL_CRC || first.symbol() == null) {
            return "";
        }
        String exporter = first.exporter();
        String built = verdict.module().release();
        return Escape.bytes(verdict.module().name())
                + ": built for "
                + (exporter != null && !exporter.equals("vmlinux")
                        ? "another build of " + Escape.bytes(exporter)
                        : built == null || release == null
                                ? "another kernel"
                                : numbers(built).equals(numbers(release))
                                        ? "another kernel configuration"
                                        : "another kernel version")
                + (built == null ? "" : " (" + Escape.text(built) + ")")
                + "; the CRC of "
                + Escape.bytes(first.symbol())
                + (others > 0 ? " and " + Numbers.of(others, "more symbol") : "")
                + " differs";
    }

    /** Returns the numbers at the beginning of a release: for {@code 6.1.0-56-cloud-amd64}, 6, 1, 0 and 56. */
    private static List<String> numbers(String release) {
        List<String> numbers = new ArrayList<>();
        for (String part : release.split("[.+~-]", -1)) {
            if (part.isEmpty() || !part.chars().allMatch(Character::isDigit)) {
                break;
            }
            numbers.add(part);
        }
        return numbers;
    }

    public static String ofReplacement(Verdict verdict) {
        List<String> broken = Verdicts.broken(List.of(verdict));
        int used = Verdicts.brokenInUse(List.of(verdict)).size();
        return broken.isEmpty()
                ? of(verdict)
                : of(verdict)
                        + (verdict.outcome() == Outcome.COMPATIBLE ? ", but " : "; ")
                        + Numbers.of(broken.size(), "module")
                        + " would no longer load with it"
                        + (used == 0 ? "" : " (" + used + " in use on this machine)")
                        + ": "
                        + Escape.text(String.join(", ", broken.subList(0, Math.min(broken.size(), MOST_NAMES))))
                        + (broken.size() > MOST_NAMES ? " and more" : "");
    }

    public static Effect decisive(Verdict verdict) {
        return verdict.outcome() == Outcome.INCOMPATIBLE ? Effect.REFUSES : Effect.UNPROVEN;
    }
}
