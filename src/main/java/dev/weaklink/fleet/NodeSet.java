package dev.weaklink.fleet;

import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Converts between lists of node names and ClusterShell's notation of node sets. Expanding a folded set returns the
 * same names, sorted and without duplicates.
 */
public final class NodeSet {
    public static final int MAX_NODES = 1 << 18;

    private NodeSet() {}

    public static boolean isName(String name) {
        return NodeName.isValid(name);
    }

    /**
     * Folds names into a set such as {@code cn[001-412]}. If names differ only in numbers, the last number that differs
     * is written as ranges. The result does not depend on the order of the names or on duplicates.
     *
     * @throws IllegalArgumentException if a name is not {@link #isName valid}
     */
    public static String fold(Collection<String> names) {
        List<NodeName> sorted = new ArrayList<>(names.size());
        names.forEach(name -> sorted.add(NodeName.of(name)));
        // Names mostly come in order, which makes sorting fast.
        sorted.sort(null);
        return foldSorted(sorted);
    }

    static String foldSorted(List<NodeName> sorted) {
        Map<List<String>, List<NodeName>> byTexts = new HashMap<>();
        List<NodeName> alike = new ArrayList<>();
        for (NodeName name : sorted) {
            if (alike.isEmpty() || !alike.get(0).texts().equals(name.texts())) {
                alike = byTexts.computeIfAbsent(name.texts(), key -> new ArrayList<>());
            }
            alike.add(name);
        }
        TreeMap<NodeName, String> folded = new TreeMap<>();
        byTexts.values().forEach(names -> foldAlike(names, folded));
        return String.join(",", folded.values());
    }

    /**
     * Returns the names in a set as {@code clush -b} and {@code nodeset -f} print it. Several bracketed numbers and
     * steps are supported; groups and wildcards are not.
     *
     * @return the names, sorted with 9 before 10
     * @throws UnreadableException if the text is not a set, or a set of more than {@link #MAX_NODES}
     */
    public static List<String> expand(String text) throws UnreadableException {
        return NodeSetParser.parse(text);
    }

    /**
     * Folds sorted names that have the same text around their numbers. Because of the sorting, names that differ only
     * in the last varying number are adjacent.
     */
    private static void foldAlike(List<NodeName> alike, Map<NodeName, String> folded) {
        int varying = lastVarying(alike);
        int start = 0;
        for (int end = 1; end <= alike.size(); end++) {
            if (end == alike.size() || !areSameBut(varying, alike.get(start), alike.get(end))) {
                List<NodeName> same = alike.subList(start, end);
                folded.put(same.get(0), text(same, varying));
                start = end;
            }
        }
    }

    private static boolean areSameBut(int varying, NodeName one, NodeName other) {
        for (int i = 0; i < one.numbers().size(); i++) {
            if (i != varying && !one.numbers().get(i).equals(other.numbers().get(i))) {
                return false;
            }
        }
        return true;
    }

    private static int lastVarying(List<NodeName> alike) {
        List<String> first = alike.get(0).numbers();
        int last = -1;
        for (NodeName name : alike) {
            for (int i = first.size() - 1; i > last; i--) {
                if (!name.numbers().get(i).equals(first.get(i))) {
                    last = i;
                }
            }
        }
        return last;
    }

    private static String text(List<NodeName> same, int varying) {
        NodeName name = same.get(0);
        StringBuilder text = new StringBuilder(name.texts().get(0));
        for (int i = 0; i < name.numbers().size(); i++) {
            if (i == varying && !same.get(same.size() - 1).equals(name)) {
                text.append('[')
                        .append(NumberRanges.fold(numbers(same, varying)))
                        .append(']');
            } else {
                text.append(name.numbers().get(i));
            }
            text.append(name.texts().get(i + 1));
        }
        return text.toString();
    }

    private static List<String> numbers(List<NodeName> same, int index) {
        List<String> numbers = new ArrayList<>(same.size());
        for (NodeName name : same) {
            String number = name.numbers().get(index);
            if (numbers.isEmpty() || !numbers.get(numbers.size() - 1).equals(number)) {
                numbers.add(number);
            }
        }
        return numbers;
    }

    private static final class NodeSetParser {
        /** The maximum length of a set's text, which bounds the work for sets that repeat nodes. */
        private static final int MAX_TEXT = 16 << 20;

        private final String text;
        private final Set<String> nodes = new LinkedHashSet<>();
        private int at;

        private NodeSetParser(String text) {
            this.text = text;
        }

        static List<String> parse(String text) throws UnreadableException {
            if (text.length() > MAX_TEXT) {
                throw new UnreadableException("longer than " + MAX_TEXT + " characters");
            }
            NodeSetParser parser = new NodeSetParser(text);
            do {
                parser.readTerm();
            } while (parser.skip(','));
            return parser.names();
        }

        private List<String> names() {
            List<NodeName> sorted = new ArrayList<>(nodes.size());
            nodes.forEach(name -> sorted.add(NodeName.of(name)));
            sorted.sort(null);
            List<String> names = new ArrayList<>(sorted.size());
            for (NodeName node : sorted) {
                StringBuilder name = new StringBuilder(node.texts().get(0));
                for (int i = 0; i < node.numbers().size(); i++) {
                    name.append(node.numbers().get(i)).append(node.texts().get(i + 1));
                }
                names.add(name.toString());
            }
            return names;
        }

        private void readTerm() throws UnreadableException {
            List<String> names = List.of("");
            while (at < text.length() && text.charAt(at) != ',') {
                names = product(names, text.charAt(at) == '[' ? readBracket() : List.of(readPlain()));
            }
            for (String name : names) {
                if (!NodeName.isValid(name)) {
                    throw new UnreadableException(
                            name.isEmpty() ? "a name is missing" : "a name is too long or begins with a hyphen");
                }
                nodes.add(name);
            }
            requireRoom(nodes.size());
        }

        private List<String> product(List<String> names, List<String> tails) throws UnreadableException {
            requireRoom((long) names.size() * tails.size() + nodes.size());
            List<String> all = new ArrayList<>(names.size() * tails.size());
            for (String name : names) {
                for (String tail : tails) {
                    if (name.length() + tail.length() > NodeName.MAX_LENGTH) {
                        throw new UnreadableException("a name is too long");
                    }
                    all.add(name + tail);
                }
            }
            return all;
        }

        private String readPlain() throws UnreadableException {
            int start = at;
            while (at < text.length() && NodeName.isPlain(text.charAt(at))) {
                at++;
            }
            if (at == start) {
                throw new UnreadableException("an invalid character");
            }
            return text.substring(start, at);
        }

        private List<String> readBracket() throws UnreadableException {
            List<String> numbers = new ArrayList<>();
            at++;
            do {
                readRange(numbers);
            } while (skip(','));
            if (!skip(']')) {
                throw new UnreadableException("a bracket is not closed");
            }
            return numbers;
        }

        private void readRange(List<String> numbers) throws UnreadableException {
            String first = readNumber();
            if (!skip('-')) {
                requireRoom(numbers.size() + 1L + nodes.size());
                numbers.add(first);
                return;
            }
            String last = readNumber();
            long step = skip('/') ? value(readNumber()) : 1;
            long from = value(first);
            long to = value(last);
            boolean padded = NumberRanges.isPadded(first);
            if (from > to || step == 0 || (padded ? first.length() : 0) > last.length()) {
                throw new UnreadableException("an empty range");
            }
            requireRoom((to - from) / step + 1 + numbers.size() + nodes.size());
            for (long number = from; number <= to; number += step) {
                numbers.add(padded ? pad(number, first.length()) : Long.toString(number));
            }
        }

        private String readNumber() throws UnreadableException {
            int start = at;
            while (at < text.length() && NodeName.isDigit(text.charAt(at))) {
                at++;
            }
            if (at == start) {
                throw new UnreadableException("a number is missing");
            }
            return text.substring(start, at);
        }

        private static long value(String digits) throws UnreadableException {
            if (digits.length() > NumberRanges.MAX_DIGITS) {
                throw new UnreadableException("a number has more than " + NumberRanges.MAX_DIGITS + " digits");
            }
            return Long.parseLong(digits);
        }

        private static String pad(long number, int length) {
            String digits = Long.toString(number);
            return "0".repeat(Math.max(0, length - digits.length())) + digits;
        }

        private static void requireRoom(long count) throws UnreadableException {
            if (count > NodeSet.MAX_NODES) {
                throw new UnreadableException("more than " + NodeSet.MAX_NODES + " nodes");
            }
        }

        private boolean skip(char wanted) {
            if (at < text.length() && text.charAt(at) == wanted) {
                at++;
                return true;
            }
            return false;
        }
    }

    private static final class NumberRanges {
        private NumberRanges() {}

        /**
         * The maximum number of digits, so that a number fits into a long. A longer number never becomes part of a
         * range.
         */
        static final int MAX_DIGITS = 18;

        /**
         * Folds numbers into ranges such as {@code 001-412}. All numbers of a range with leading zeros have one length.
         * A range without leading zeros may contain both 9 and 10.
         *
         * @param sorted distinct decimal numbers, sorted by length and then by value
         */
        static String fold(List<String> sorted) {
            StringBuilder ranges = new StringBuilder();
            int start = 0;
            for (int i = 1; i <= sorted.size(); i++) {
                String first = sorted.get(start);
                if (i < sorted.size() && follows(sorted.get(i), sorted.get(i - 1), isPadded(first))) {
                    continue;
                }
                append(ranges, first, sorted.get(i - 1));
                start = i;
            }
            return ranges.toString();
        }

        private static void append(StringBuilder ranges, String first, String last) {
            if (ranges.length() > 0) {
                ranges.append(',');
            }
            ranges.append(first);
            if (!first.equals(last)) {
                ranges.append('-').append(last);
            }
        }

        static boolean isPadded(String number) {
            return number.length() > 1 && number.charAt(0) == '0';
        }

        private static boolean follows(String number, String before, boolean padded) {
            boolean isTooLong = number.length() > MAX_DIGITS;
            if (isTooLong || (padded && number.length() != before.length())) {
                return false;
            }
            return !(isPadded(number) && !padded) && number.equals(next(before));
        }

        private static String next(String number) {
            char[] digits = number.toCharArray();
            for (int i = digits.length - 1; i >= 0; i--) {
                if (digits[i] != '9') {
                    digits[i]++;
                    return new String(digits);
                }
                digits[i] = '0';
            }
            return "1" + new String(digits);
        }
    }

    /**
     * A node name split into text and numbers. Numbers are stored as written, including leading zeros.
     *
     * @param texts the text before, between and after the numbers: one more than there are numbers
     * @param numbers the runs of decimal digits
     */
    record NodeName(List<String> texts, List<String> numbers) implements Comparable<NodeName> {
        /** The maximum length of a name in DNS (RFC 1035, section 2.3.4). */
        static final int MAX_LENGTH = 255;

        static NodeName of(String name) {
            if (!isValid(name)) {
                throw new IllegalArgumentException("not a node's name");
            }
            List<String> texts = new ArrayList<>();
            List<String> numbers = new ArrayList<>();
            int at = 0;
            while (true) {
                int digits = at;
                while (digits < name.length() && !isDigit(name.charAt(digits))) {
                    digits++;
                }
                texts.add(name.substring(at, digits));
                if (digits == name.length()) {
                    // Copies are half as large; an audit of a million nodes has a million names.
                    return new NodeName(List.copyOf(texts), List.copyOf(numbers));
                }
                at = digits;
                while (at < name.length() && isDigit(name.charAt(at))) {
                    at++;
                }
                numbers.add(name.substring(digits, at));
            }
        }

        /**
         * Returns whether the string is a valid node name: not empty, at most 255 characters, only letters, digits and
         * {@code -_.:+}, and no hyphen at the start.
         */
        static boolean isValid(String name) {
            for (int i = 0; i < name.length(); i++) {
                if (!isPlain(name.charAt(i))) {
                    return false;
                }
            }
            return !name.isEmpty() && name.length() <= MAX_LENGTH && name.charAt(0) != '-';
        }

        static boolean isPlain(char c) {
            return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || "-_.:+".indexOf(c) >= 0;
        }

        static boolean isDigit(char c) {
            return c >= '0' && c <= '9';
        }

        /** Compares numbers as written: by length, then by value. */
        static int compareNumbers(String a, String b) {
            int byLength = Integer.compare(a.length(), b.length());
            return byLength != 0 ? byLength : a.compareTo(b);
        }

        /** Compares names text by text and number by number, so that node 9 comes before node 10. */
        @Override
        public int compareTo(NodeName other) {
            int common = Math.min(numbers.size(), other.numbers.size());
            for (int i = 0; i < common; i++) {
                int order = texts.get(i).compareTo(other.texts.get(i));
                if (order == 0) {
                    order = compareNumbers(numbers.get(i), other.numbers.get(i));
                }
                if (order != 0) {
                    return order;
                }
            }
            int order = texts.get(common).compareTo(other.texts.get(common));
            return order != 0 ? order : Integer.compare(numbers.size(), other.numbers.size());
        }
    }
}
