package dev.weaklink.fleet;

import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads ClusterShell's notation of node sets, and sorts names of nodes. Expanding {@link Nodes#folded} returns the same
 * names.
 */
public final class NodeSet {
    public static final int MAX_NODES = 1 << 18;

    /** The order of names: text by text and number by number, so that node 9 comes before node 10. */
    static final Comparator<String> ORDER = NodeName::compare;

    private NodeSet() {}

    public static boolean isName(String name) {
        return NodeName.isValid(name);
    }

    /**
     * Returns the names in {@link #ORDER}, each once.
     *
     * @throws IllegalArgumentException if a name is not {@link #isName valid}
     */
    static String[] sorted(Collection<String> names) {
        String[] sorted = names.toArray(String[]::new);
        for (String name : sorted) {
            if (!NodeName.isValid(name)) {
                throw new IllegalArgumentException("not a node's name");
            }
        }
        return distinct(sorted);
    }

    /** Sorts valid names in place. Returns the array, or a shorter array if some names occur twice. */
    static String[] distinct(String[] names) {
        // Names mostly come in order, which makes sorting fast.
        Arrays.sort(names, ORDER);
        int count = 0;
        for (String name : names) {
            if (count == 0 || !names[count - 1].equals(name)) {
                names[count++] = name;
            }
        }
        return count == names.length ? names : Arrays.copyOf(names, count);
    }

    /**
     * Returns the names in a set as {@code clush -b} and {@code nodeset -f} print it. Several bracketed numbers and
     * steps are supported; groups and wildcards are not.
     *
     * @return the names, sorted with 9 before 10
     * @throws UnreadableException if the text is not a set, or a set of more than {@link #MAX_NODES}
     */
    public static List<String> expand(String text) throws UnreadableException {
        return List.of(expand(text, MAX_NODES));
    }

    /** Expands a set of at most {@code most} nodes. */
    static String[] expand(String text, int most) throws UnreadableException {
        return NodeSetParser.parse(text, most);
    }

    private static final class NodeSetParser {
        /** The maximum number of characters per node, which bounds the work for sets that repeat nodes. */
        private static final int MAX_CHARACTERS = 64;

        private final String text;
        private final int most;
        private final Set<String> nodes = new LinkedHashSet<>();
        private int at;

        private NodeSetParser(String text, int most) {
            this.text = text;
            this.most = most;
        }

        static String[] parse(String text, int most) throws UnreadableException {
            if (text.length() > MAX_CHARACTERS * most) {
                throw new UnreadableException("longer than " + MAX_CHARACTERS * most + " characters");
            }
            NodeSetParser parser = new NodeSetParser(text, most);
            do {
                parser.readTerm();
            } while (parser.skip(','));
            return distinct(parser.nodes.toArray(String[]::new));
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
            boolean padded = first.length() > 1 && first.charAt(0) == '0';
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
            if (digits.length() > NodeName.MAX_DIGITS) {
                throw new UnreadableException("a number has more than " + NodeName.MAX_DIGITS + " digits");
            }
            return Long.parseLong(digits);
        }

        private static String pad(long number, int length) {
            String digits = Long.toString(number);
            return "0".repeat(Math.max(0, length - digits.length())) + digits;
        }

        private void requireRoom(long count) throws UnreadableException {
            if (count > most) {
                throw new UnreadableException("more than " + most + " nodes");
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

    /** Functions on the names of nodes, which consist of texts and numbers in turn. */
    static final class NodeName {
        /** The maximum length of a name in DNS (RFC 1035, section 2.3.4). */
        static final int MAX_LENGTH = 255;

        /**
         * The maximum number of digits, so that a number fits into a long. A longer number never becomes part of a
         * range.
         */
        static final int MAX_DIGITS = 18;

        private NodeName() {}

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

        static int endOfNumber(String name, int start) {
            int at = start;
            while (at < name.length() && isDigit(name.charAt(at))) {
                at++;
            }
            return at;
        }

        static int endOfText(String name, int start) {
            int at = start;
            while (at < name.length() && !isDigit(name.charAt(at))) {
                at++;
            }
            return at;
        }

        /** Compares the first texts or numbers that differ. Numbers are compared by length, then by value. */
        private static int compare(String one, String other) {
            int common = Math.min(one.length(), other.length());
            int at = 0;
            while (at < common && one.charAt(at) == other.charAt(at)) {
                at++;
            }
            int number = at;
            while (number > 0 && isDigit(one.charAt(number - 1))) {
                number--;
            }
            int end = endOfNumber(one, number);
            int otherEnd = endOfNumber(other, number);
            if (end != otherEnd && end > number && otherEnd > number) {
                return end - otherEnd;
            }
            int order = kind(one, at) - kind(other, at);
            return order != 0 || at == common ? order : one.charAt(at) - other.charAt(at);
        }

        /** Returns 0 at the end of the name, 1 at a digit, and 2 in a text, which is longer than one that ended. */
        private static int kind(String name, int at) {
            if (at == name.length()) {
                return 0;
            }
            return isDigit(name.charAt(at)) ? 1 : 2;
        }
    }
}
