package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.List;

/** A verdict's reason in one sentence, escaped. */
public final class VerdictReason {
    private static final int MOST_NAMES = 8;

    private VerdictReason() {}

    /** What the loader would say: the first thing it objects to, and how many more there are. */
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

    /** The same of a module in place, and what others lack for it. */
    public static String ofReplacement(Verdict verdict) {
        List<String> broken = Verdicts.broken(List.of(verdict));
        int used = Verdicts.brokenInUse(List.of(verdict)).size();
        return broken.isEmpty()
                ? of(verdict)
                : of(verdict)
                        + (verdict.outcome() == Outcome.COMPATIBLE ? ", but " : "; ")
                        + Numbers.of(broken.size(), "module")
                        + " would no longer load with it"
                        + (used == 0 ? "" : ", " + used + " of them in use here")
                        + ": "
                        + Escape.text(String.join(", ", broken.subList(0, Math.min(broken.size(), MOST_NAMES))))
                        + (broken.size() > MOST_NAMES ? " and more" : "");
    }

    /** What a finding must do to make a verdict, other than that all is well, what it is. */
    public static Effect decisive(Verdict verdict) {
        return verdict.outcome() == Outcome.INCOMPATIBLE ? Effect.REFUSES : Effect.UNPROVEN;
    }
}
