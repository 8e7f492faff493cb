package dev.weaklink.rebuild;

/** Removes terminal control sequences from a program's output. */
public final class TerminalText {
    private static final char ESC = '\u001b';
    private static final char BEL = '\u0007';

    private TerminalText() {}

    /** Returns a line without escape and control sequences, which start with ESC (ECMA-48); other characters stay. */
    public static String plain(String line) {
        if (line.indexOf(ESC) < 0) {
            return line;
        }
        StringBuilder plain = new StringBuilder(line.length());
        int at = 0;
        while (at < line.length()) {
            if (line.charAt(at) == ESC) {
                at = end(line, at + 1);
            } else {
                plain.append(line.charAt(at++));
            }
        }
        return plain.toString();
    }

    private static int end(String line, int second) {
        if (second >= line.length()) {
            return second;
        }
        return switch (line.charAt(second)) {
            case '[' -> afterControl(line, second + 1);
            case ']', 'P', 'X', '^', '_' -> afterString(line, second + 1);
            default -> afterEscape(line, second);
        };
    }

    /** Returns the end of an escape sequence: intermediate bytes from space to slash, and a final byte. */
    private static int afterEscape(String line, int from) {
        int at = from;
        while (at < line.length() && line.charAt(at) >= ' ' && line.charAt(at) <= '/') {
            at++;
        }
        return Math.min(at + 1, line.length());
    }

    private static int afterControl(String line, int from) {
        int at = from;
        while (at < line.length() && line.charAt(at) >= ' ' && line.charAt(at) < '@') {
            at++;
        }
        return Math.min(at + 1, line.length());
    }

    private static int afterString(String line, int from) {
        for (int at = from; at < line.length(); at++) {
            if (line.charAt(at) == BEL) {
                return at + 1;
            }
            if (line.charAt(at) == ESC && line.startsWith("\\", at + 1)) {
                return at + 2;
            }
        }
        return line.length();
    }
}
