package dev.weaklink.fleet;

import dev.weaklink.fleet.NodeSet.NodeName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Folds sorted names into ClusterShell's notation. Compares characters in place: an audit of a million nodes folds each
 * name many times.
 */
final class NodeSetFolder {
    private final SortedMap<String, String> folded = new TreeMap<>(NodeSet.ORDER);
    private final StringBuilder out = new StringBuilder();

    private NodeSetFolder() {}

    /**
     * Returns the folded set.
     *
     * @param sorted valid names in {@link NodeSet#ORDER}, each once; at least one
     * @param areAlike whether the names differ at most in their numbers
     */
    static String fold(List<String> sorted, boolean areAlike) {
        NodeSetFolder folder = new NodeSetFolder();
        if (areAlike) {
            folder.foldAlike(sorted);
        } else {
            Map<String, List<String>> byTexts = new HashMap<>();
            for (String name : sorted) {
                byTexts.computeIfAbsent(texts(name), key -> new ArrayList<>()).add(name);
            }
            byTexts.values().forEach(folder::foldAlike);
        }
        Collection<String> sets = folder.folded.values();
        return sets.size() == 1 ? sets.iterator().next() : String.join(",", sets);
    }

    /** Returns whether the names differ at most in their numbers. */
    static boolean areAlike(List<String> names) {
        for (int i = 1; i < names.size(); i++) {
            if (!areAlike(names.get(0), names.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean areAlike(String one, String other) {
        int at = 0;
        int otherAt = 0;
        while (at < one.length() && otherAt < other.length()) {
            char c = one.charAt(at);
            char otherC = other.charAt(otherAt);
            if (NodeName.isDigit(c) && NodeName.isDigit(otherC)) {
                at = NodeName.endOfNumber(one, at);
                otherAt = NodeName.endOfNumber(other, otherAt);
            } else if (c == otherC) {
                at++;
                otherAt++;
            } else {
                return false;
            }
        }
        return at == one.length() && otherAt == other.length();
    }

    /** Returns the name with 0 in place of each number. */
    private static String texts(String name) {
        StringBuilder texts = new StringBuilder(name.length());
        for (int at = 0; at < name.length(); at++) {
            if (NodeName.isDigit(name.charAt(at))) {
                at = NodeName.endOfNumber(name, at) - 1;
                texts.append('0');
            } else {
                texts.append(name.charAt(at));
            }
        }
        return texts.toString();
    }

    /**
     * Folds names that have the same text around their numbers. Because of the sorting, names that differ only in the
     * last varying number are adjacent.
     */
    private void foldAlike(List<String> names) {
        int varying = lastVarying(names);
        int end;
        for (int start = 0; start < names.size(); start = end) {
            String first = names.get(start);
            int from = startOfNumber(first, varying);
            int to = NodeName.endOfNumber(first, from);
            end = start + 1;
            while (end < names.size() && differOnlyIn(from, to, first, names.get(end))) {
                end++;
            }
            folded.put(first, end == start + 1 ? first : folded(names.subList(start, end), from, to));
        }
    }

    /** Returns the index of the last number that differs, counted from 0 in each name; -1 if no number differs. */
    private static int lastVarying(List<String> names) {
        String first = names.get(0);
        int last = -1;
        for (int i = 1; i < names.size() && (last < 0 || startOfNumber(first, last + 1) < first.length()); i++) {
            String name = names.get(i);
            int at = 0;
            int firstAt = 0;
            for (int number = 0; firstAt < first.length(); number++) {
                int text = NodeName.endOfText(first, firstAt) - firstAt;
                firstAt += text;
                at += text;
                int firstEnd = NodeName.endOfNumber(first, firstAt);
                int end = NodeName.endOfNumber(name, at);
                boolean isSame = end - at == firstEnd - firstAt && first.regionMatches(firstAt, name, at, end - at);
                last = isSame ? last : Math.max(last, number);
                firstAt = firstEnd;
                at = end;
            }
        }
        return last;
    }

    private static int startOfNumber(String name, int number) {
        int at = NodeName.endOfText(name, 0);
        for (int i = 0; i < number; i++) {
            at = NodeName.endOfText(name, NodeName.endOfNumber(name, at));
        }
        return at;
    }

    /** Returns whether a name equals {@code first} except for the number of {@code first} at these offsets. */
    private static boolean differOnlyIn(int from, int to, String first, String name) {
        int rest = first.length() - to;
        int end = name.length() - rest;
        return end > from
                && name.regionMatches(0, first, 0, from)
                && NodeName.endOfNumber(name, from) == end
                && name.regionMatches(end, first, to, rest);
    }

    private String folded(List<String> names, int from, int to) {
        String first = names.get(0);
        int rest = first.length() - to;
        out.setLength(0);
        out.append(first, 0, from).append('[');
        String start = first;
        String last = first;
        long before = number(first, from, rest);
        for (int i = 1; i < names.size(); i++) {
            String name = names.get(i);
            long number = number(name, from, rest);
            if (number != before + 1 || !canFollow(name, last, start, from, rest)) {
                appendRange(start, last, from, rest);
                out.append(',');
                start = name;
            }
            last = name;
            before = number;
        }
        appendRange(start, last, from, rest);
        return out.append(']').append(first, to, first.length()).toString();
    }

    /**
     * Returns whether a name with the next number can continue a range. All numbers of a range with leading zeros have
     * one length. A range without leading zeros may contain both 9 and 10.
     *
     * @param before the last name of the range
     * @param start the first name of the range
     * @param from the offset of the number in each name
     * @param rest the number of characters after the number
     */
    private static boolean canFollow(String name, String before, String start, int from, int rest) {
        boolean isTooLong = name.length() - rest - from > NodeName.MAX_DIGITS;
        boolean fits = isPadded(start, from, rest) ? name.length() == before.length() : !isPadded(name, from, rest);
        return !isTooLong && fits;
    }

    private static boolean isPadded(String name, int from, int rest) {
        return name.length() - rest - from > 1 && name.charAt(from) == '0';
    }

    /** Returns the value of a number; of more than {@link NodeName#MAX_DIGITS} digits, the lowest bits. */
    private static long number(String name, int from, int rest) {
        int end = name.length() - rest;
        long number = 0;
        for (int at = from; at < end; at++) {
            number = 10 * number + name.charAt(at) - '0';
        }
        return number;
    }

    private void appendRange(String start, String last, int from, int rest) {
        out.append(start, from, start.length() - rest);
        if (start != last) {
            out.append('-').append(last, from, last.length() - rest);
        }
    }
}
