package dev.weaklink.rules;

import com.google.re2j.Pattern;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A name with wildcards: {@code ?} stands for one character and {@code *} for any number of them, but not for a slash;
 * {@code **} stands for anything. It always means the whole name.
 *
 * @param text as it is matched; of a module, with {@code _} for every {@code -}
 */
public record NamePattern(String text) {
    private static final Map<String, Pattern> COMPILED = new ConcurrentHashMap<>();

    /** Of module names, in which the kernel takes {@code -} and {@code _} for the same. */
    public static NamePattern ofModule(String text) {
        return new NamePattern(moduleName(text));
    }

    /** A module's name as the kernel has it. */
    public static String moduleName(String name) {
        return name.replace('-', '_');
    }

    /** Whether it is this name. Takes time in the order of both lengths multiplied, at most. */
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

    /** Whether it is this directory or one above it. */
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
