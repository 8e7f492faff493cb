package dev.weaklink.rules;

import org.jspecify.annotations.Nullable;

/**
 * A value and the rule that decided it.
 *
 * @param value what holds
 * @param origin where that is written
 * @param because the reason that is written with the rule, if any
 */
public record Attributed<T>(
        T value, RuleOrigin origin, @Nullable String because) {
    public Attributed(T value, RuleOrigin origin) {
        this(value, origin, null);
    }

    /** A value that no rule says. */
    public static <T> Attributed<T> byDefault(T value) {
        return new Attributed<>(value, RuleOrigin.NO_RULE, null);
    }

    /** Whether no rule says it. */
    public boolean isByDefault() {
        return origin.equals(RuleOrigin.NO_RULE);
    }

    /** For reasons: "rules/site.yaml:12 says fail (because it is fragile)". */
    public String says(String words) {
        return origin + " says " + words + (because == null ? "" : " (" + because + ")");
    }

    /**
     * Where a rule is written.
     *
     * @param file {@code rules/NAME.yaml} for one that comes with the program, else a path as seen from inside the
     *     root; empty if no rule says it
     * @param line the line, from 1; 0 if no rule says it
     */
    public record RuleOrigin(String file, int line) {
        /** The origin of defaults. */
        public static final RuleOrigin NO_RULE = new RuleOrigin("", 0);

        /** Whether the site says it, and not what comes with the program. */
        public boolean isOfSite() {
            return line > 0 && !file.startsWith("rules/");
        }

        /** {@code file:line}, or "no rule". */
        @Override
        public String toString() {
            return line == 0 ? "no rule" : file + ":" + line;
        }
    }
}
