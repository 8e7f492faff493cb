package dev.weaklink.check.result;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;

/**
 * How many verdicts there are of each kind.
 *
 * @param compatible verdicts that say the loader would accept
 * @param incompatible verdicts that say the loader would refuse
 * @param undetermined verdicts that say neither
 */
public record Tally(int compatible, int incompatible, int undetermined) {

    /** Counts. */
    public static Tally of(List<Verdict> verdicts) {
        int[] counts = new int[Outcome.values().length];
        for (Verdict verdict : verdicts) {
            counts[verdict.outcome().ordinal()]++;
        }
        return new Tally(
                counts[Outcome.COMPATIBLE.ordinal()],
                counts[Outcome.INCOMPATIBLE.ordinal()],
                counts[Outcome.UNDETERMINED.ordinal()]);
    }

    /** "3 compatible, 1 incompatible". */
    public String words() {
        List<String> words = new ArrayList<>();
        add(compatible, " compatible", words);
        add(incompatible, " incompatible", words);
        add(undetermined, " undetermined", words);
        return words.isEmpty() ? "nothing" : String.join(", ", words);
    }

    private static void add(int count, String word, List<String> words) {
        if (count > 0) {
            words.add(Numbers.grouped(count) + word);
        }
    }

    /** All verdicts. */
    public int total() {
        return compatible + incompatible + undetermined;
    }
}
