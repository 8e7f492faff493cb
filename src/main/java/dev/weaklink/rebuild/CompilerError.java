package dev.weaklink.rebuild;

import java.util.List;

/**
 * A compiler's error message, split into its parts.
 *
 * @param place the file and line, such as {@code ddcci.c:45}, or the program that printed the message; empty if unknown
 * @param message the text of the message
 */
public record CompilerError(String place, String message) {
    private static final String ERROR = ": error: ";
    private static final String FATAL = ": fatal error: ";

    private static final List<Meaning> MEANINGS = List.of(
            new Meaning("implicit declaration of function", "the function was removed or moved to another header"),
            new Meaning("undeclared function", "the function was removed or moved to another header"),
            new Meaning("has no member named", "the member was removed or renamed"),
            new Meaning("no member named", "the member was removed or renamed"),
            new Meaning("too few arguments", "the function takes other arguments now"),
            new Meaning("too many arguments", "the function takes other arguments now"),
            new Meaning("arguments, but only", "the macro takes other arguments now"),
            new Meaning("arguments, but takes", "the macro takes other arguments now"),
            new Meaning("provided to function-like macro invocation", "the macro takes other arguments now"),
            new Meaning("incompatible pointer type", "a type changed, such as that of an argument or callback"),
            new Meaning("incompatible function pointer types", "the type of a callback changed"),
            new Meaning("conflicting types for", "the kernel declares the same name with another type"),
            new Meaning("redefinition of", "the kernel defines the same name now"),
            new Meaning("undeclared", "the name was removed or moved to another header"),
            new Meaning("No such file or directory", "the header was removed or moved"),
            new Meaning("file not found", "the header was removed or moved"),
            new Meaning(
                    "incomplete type",
                    "the type was removed, moved to another header, or is private to the kernel now"),
            new Meaning(
                    "storage size of",
                    "the type was removed, moved to another header, or is private to the kernel now"),
            new Meaning("undefined!", "the kernel does not export the symbol"));

    private record Meaning(String part, String words) {}

    /**
     * Splits one line of a build log.
     *
     * @param line a line as gcc and clang print it, {@code FILE:LINE:COLUMN: error: MESSAGE}; any other line becomes
     *     the message
     */
    public static CompilerError of(String line) {
        int at = line.indexOf(FATAL);
        int length = FATAL.length();
        if (at < 0) {
            at = line.indexOf(ERROR);
            length = ERROR.length();
        }
        if (at < 0) {
            return new CompilerError("", line.strip());
        }
        return new CompilerError(
                place(line.substring(0, at)), line.substring(at + length).strip());
    }

    private static String place(String position) {
        String[] parts = position.substring(position.lastIndexOf('/') + 1).split(":", -1);
        return parts.length < 2 ? parts[0] : parts[0] + ":" + parts[1];
    }

    /** Returns the meaning of the error for a driver that compiled on an older kernel; empty if unknown. */
    public String meaning() {
        for (Meaning one : MEANINGS) {
            if (message.contains(one.part())) {
                return one.words();
            }
        }
        return "";
    }

    public String text() {
        return place.isEmpty() ? message : place + ": " + message;
    }
}
