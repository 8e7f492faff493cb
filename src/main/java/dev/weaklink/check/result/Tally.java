package dev.weaklink.check.result;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;

public record Tally(int compatible, int incompatible, int undetermined) {

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

    public int total() {
        return compatible + incompatible + undetermined;
    }
}
