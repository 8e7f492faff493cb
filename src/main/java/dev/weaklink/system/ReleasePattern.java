package dev.weaklink.system;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/**
 * Matches one kernel release with the KERNELVERSION patterns of depmod.d(5) lines. A pattern is {@code *}, or a POSIX
 * extended regular expression that may match any part of the release. The library RE2/J matches in linear time. A
 * pattern that RE2/J reads in another way than the C library is translated or refused.
 */
final class ReleasePattern {
    private static final int MAX_LENGTH = 256;

    /** The maximum product of all repetition counts in an expression, because repetitions are expanded. */
    private static final int MAX_REPETITIONS = 1000;

    /**
     * The maximum size of all expressions in a configuration together. An expression's size is its length times the
     * product of its repetition counts.
     */
    private static final long MAX_SIZE_TOGETHER = 4_000_000;

    private static final String REPETITIONS = "*+?{";

    private final String release;
    private long sizeTogether;

    ReleasePattern(String release) {
        this.release = release;
    }

    boolean matches(String pattern) {
        if (pattern.equals("*")) {
            return true;
        }
        if (pattern.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("kernel version pattern is too long");
        }
        Translation translation = new Translation(pattern);
        String translated = translation.run();
        sizeTogether += (long) pattern.length() * translation.repetitions;
        if (sizeTogether > MAX_SIZE_TOGETHER) {
            throw new IllegalArgumentException(
                    "the kernel version patterns in depmod's configuration exceed the limit for their total size");
        }
        try {
            return Pattern.compile(translated).matcher(release).find();
        } catch (PatternSyntaxException e) {
            throw unusable();
        }
    }

    private static IllegalArgumentException unusable() {
        return new IllegalArgumentException("kernel version is not a supported regular expression");
    }

    /**
     * Translates an expression from the syntax of glibc's regcomp(3) to the syntax of RE2. The text stays the same
     * where both syntaxes agree.
     */
    private static final class Translation {
        private final String pattern;
        private final StringBuilder translated = new StringBuilder();
        private int at;
        private int repetitions = 1;

        private boolean repeatable;

        Translation(String pattern) {
            this.pattern = pattern;
        }

        String run() {
            while (at < pattern.length()) {
                char c = pattern.charAt(at);
                if (REPETITIONS.indexOf(c) >= 0) {
                    repetition(c);
                } else if (c == '[') {
                    bracket();
                } else if (c == '\\') {
                    escaped();
                } else {
                    repeatable = "^$|(".indexOf(c) < 0;
                    copy(1);
                }
            }
            return translated.toString();
        }

        private void copy(int count) {
            translated.append(pattern, at, at + count);
            at += count;
        }

        /**
         * Copies a repetition operator. Rejects operators without an operand, repeated operators such as {@code a*?},
         * and braces without a leading number. RE2/J and regcomp(3) treat these differently.
         */
        private void repetition(char sign) {
            if (!repeatable) {
                throw unusable();
            }
            repeatable = false;
            int end = sign == '{' ? pattern.indexOf('}', at) : at;
            if (end < 0) {
                throw unusable();
            }
            if (sign == '{') {
                String[] counts = pattern.substring(at + 1, end).split(",", 2);
                int most = 0;
                for (int i = 0; i < counts.length; i++) {
                    boolean open = i > 0 && counts[i].isEmpty();
                    if (!open && !isCount(counts[i])) {
                        throw unusable();
                    }
                    most = Math.max(most, open ? 0 : Integer.parseInt(counts[i]));
                }
                repetitions *= Math.max(1, most);
                if (repetitions > MAX_REPETITIONS) {
                    throw new IllegalArgumentException("kernel version pattern repeats too often");
                }
            }
            copy(end + 1 - at);
        }

        private static boolean isCount(String text) {
            return !text.isEmpty() && text.length() < 5 && text.chars().allMatch(Translation::isDigit);
        }

        private static boolean isDigit(int c) {
            return c >= '0' && c <= '9';
        }

        /**
         * Copies an escaped character. Rejects most letters and digits, and some other characters, because RE2 or
         * regcomp(3) gives them a special meaning after a backslash.
         */
        private void escaped() {
            char next = at + 1 < pattern.length() ? pattern.charAt(at + 1) : '<';
            boolean known = "wWsSbB".indexOf(next) >= 0;
            boolean letter = Character.isLetterOrDigit(next);
            if (letter && !known || "<>`'".indexOf(next) >= 0) {
                throw unusable();
            }
            repeatable = "bB".indexOf(next) < 0;
            copy(2);
        }

        /**
         * Translates a bracket expression: inside, a backslash is literal, and so is a bracket that does not start a
         * class.
         */
        private void bracket() {
            copy(1);
            if (at < pattern.length() && pattern.charAt(at) == '^') {
                copy(1);
            }
            boolean first = true;
            while (at < pattern.length() && (first || pattern.charAt(at) != ']')) {
                first = false;
                if (pattern.startsWith("[:", at)) {
                    namedClass();
                } else if (pattern.startsWith("[.", at) || pattern.startsWith("[=", at)) {
                    throw unusable();
                } else {
                    translated.append("\\[]".indexOf(pattern.charAt(at)) < 0 ? "" : "\\");
                    copy(1);
                }
            }
            if (at == pattern.length()) {
                throw unusable();
            }
            copy(1);
            repeatable = true;
        }

        /** Copies a class such as {@code [:alpha:]}; rejects classes of RE2 that POSIX does not have. */
        private void namedClass() {
            int end = pattern.indexOf(":]", at + 2);
            String name = end < 0 ? "" : pattern.substring(at + 2, end);
            if (name.isEmpty() || name.equals("word") || name.equals("ascii") || name.startsWith("^")) {
                throw unusable();
            }
            copy(end + 2 - at);
        }
    }
}
