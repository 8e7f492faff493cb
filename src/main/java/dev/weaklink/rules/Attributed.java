package dev.weaklink.rules;

import org.jspecify.annotations.Nullable;

/**
 * A value and the rule that decided it.
 *
 * @param value the decided value
 * @param origin the place of the rule; {@link RuleOrigin#NO_RULE} if no rule decided the value
 * @param because the reason that is written with the rule, null if none
 */
public record Attributed<T>(
        T value, RuleOrigin origin, @Nullable String because) {
    public Attributed(T value, RuleOrigin origin) {
        this(value, origin, null);
    }

    public static <T> Attributed<T> byDefault(T value) {
        return new Attributed<>(value, RuleOrigin.NO_RULE, null);
    }

    public boolean isByDefault() {
        return origin.equals(RuleOrigin.NO_RULE);
    }

    /** Returns a clause for reasons, such as "/etc/weaklink/site.yaml:12 says fail (it is fragile)". */
    public String says(String words) {
        return origin + " says " + words + (because == null ? "" : " (" + because + ")");
    }

    /**
     * The place of a rule in a file.
     *
     * @param file {@code rules/NAME.yaml} for a rule that weaklink ships; for a rule of the site, the path inside the
     *     root directory, or the path as the user typed it; empty if no rule sets the value
     * @param line the line, from 1; 0 if no rule sets the value
     */
    public record RuleOrigin(String file, int line) {
        public static final RuleOrigin NO_RULE = new RuleOrigin("", 0);

        public boolean isOfSite() {
            return line > 0 && !file.startsWith("rules/");
        }

        @Override
        public String toString() {
            return line == 0 ? "no rule" : file + ":" + line;
        }
    }
}
