package dev.weaklink.sys;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Suggests existing names for a mistyped name. */
public final class Similar {
    private static final int MOST = 3;

    /**
     * The maximum length of a name: nobody types longer names, and the comparison takes time in proportion to the
     * product of both lengths.
     */
    private static final int LONGEST = 128;

    private Similar() {}

    public static String question(String typed, Collection<String> names) {
        List<String> close = to(typed, names);
        return close.isEmpty() ? "" : "; did you mean '" + String.join("' or '", close) + "'?";
    }

    public static String nearest(String typed, Collection<String> names) {
        List<String> close = to(typed, names);
        return close.isEmpty() ? "" : "; did you mean '" + close.get(0) + "'?";
    }

    static List<String> to(String typed, Collection<String> names) {
        List<SimilarName> close = new ArrayList<>();
        for (String name : names) {
            int distance = distance(typed, name);
            if (distance >= 0) {
                close.add(new SimilarName(name, distance));
            }
        }
        close.sort(Comparator.comparingInt(SimilarName::distance));
        List<String> best = new ArrayList<>();
        for (SimilarName candidate : close.subList(0, Math.min(MOST, close.size()))) {
            if (candidate.distance() <= close.get(0).distance() + 1) {
                best.add(candidate.name());
            }
        }
        return best;
    }

    private record SimilarName(String name, int distance) {}

    /**
     * Returns the distance between a word and a name, ignoring case and treating '_' as '-'. Returns {@link #LONGEST}
     * if the name only starts with the word, and the word has at least three characters. Returns -1 if they are not
     * similar.
     */
    private static int distance(String typed, String name) {
        if (typed.isEmpty() || typed.length() > LONGEST || name.length() > LONGEST) {
            return -1;
        }
        String one = folded(typed);
        String other = folded(name);
        int distance = edits(one, other);
        int length = Math.min(one.length(), other.length());
        if (distance <= Math.max(1, length / 3) && distance < length) {
            return distance;
        }
        return one.length() >= MOST && other.startsWith(one) ? LONGEST : -1;
    }

    private static String folded(String text) {
        return text.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the minimum number of insertions, deletions, changes and swaps of neighbors that turn one string into the
     * other, changing no character twice (optimal string alignment).
     */
    private static int edits(String one, String other) {
        int[][] edits = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                if (i == 0 || j == 0) {
                    edits[i][j] = i + j;
                    continue;
                }
                int same = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
                int fewest = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
                fewest = Math.min(fewest, edits[i - 1][j - 1] + same);
                if (i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1)) {
                    fewest = Math.min(fewest, edits[i - 2][j - 2] + 1);
                }
                edits[i][j] = fewest;
            }
        }
        return edits[one.length()][other.length()];
    }
}
