package dev.weaklink.rules;

import com.google.re2j.Pattern;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A name with wildcards: {@code ?} stands for one character and {@code *} for any number of characters, but neither for
 * a slash. {@code **} stands for any characters. A pattern always matches the whole name.
 *
 * @param text the pattern; in a pattern of module names, {@code _} replaces every {@code -}
 */
public record NamePattern(String text) {
    private static final Map<String, Pattern> COMPILED = new ConcurrentHashMap<>();

    /** Returns a pattern of module names, in which the kernel treats {@code -} and {@code _} as equal. */
    public static NamePattern ofModule(String text) {
        return new NamePattern(moduleName(text));
    }

    public static String moduleName(String name) {
        return name.replace('-', '_');
    }

    /** Returns whether the pattern matches a name. The time is at most proportional to the product of both lengths. */
    public boolean matches(String name) {
        return text.indexOf('*') < 0 && text.indexOf('?') < 0
                ? text.equals(name)
                : COMPILED.computeIfAbsent(text, NamePattern::compiled).matches(name);
    }

    private static Pattern compiled(String text) {
        StringBuilder expression = new StringBuilder("(?s)");
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            boolean anything = text.startsWith("**", at);
            at += anything ? 1 : 0;
            expression.append(anything ? ".*" : c == '*' ? "[^/]*" : c == '?' ? "[^/]" : Pattern.quote("" + c));
        }
        return Pattern.compile(expression.toString());
    }

    public boolean matchesDirectory(String directory) {
        for (int end = directory.length(); end > 0; end = directory.lastIndexOf('/', end - 1)) {
            if (matches(directory.substring(0, end))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return text;
    }
}
