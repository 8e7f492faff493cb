package dev.weaklink.kernel;

import java.util.EnumMap;
import java.util.Map;

/**
 * How one kernel's loader decides. Every value knows where it comes from; one that was derived from nothing better than
 * the version number or a default is marked as assumed.
 *
 * @param version whose order and words of checks apply
 * @param values a setting for every {@link LoaderRule}
 */
public record LoaderRules(KernelVersion version, Map<LoaderRule, Setting> values) {

    /** Defensive copy; every rule must be set. */
    public LoaderRules {
        if (values.size() != LoaderRule.values().length) {
            throw new IllegalArgumentException("every loader rule needs a value");
        }
        values = new EnumMap<>(values);
    }

    /**
     * A value and the evidence for it.
     *
     * @param value the words listed at {@link LoaderRule}
     * @param assumed true if it was not seen but concluded from the version or a default
     * @param evidence what it was taken from, in words
     */
    public record Setting(String value, boolean assumed, String evidence) {}

    /** The setting of a rule. */
    public Setting setting(LoaderRule rule) {
        Setting setting = values.get(rule);
        if (setting == null) {
            throw new IllegalStateException("no value for loader rule " + rule.id());
        }
        return setting;
    }

    /** The same rules but for one. */
    public LoaderRules with(LoaderRule rule, Setting setting) {
        Map<LoaderRule, Setting> changed = new EnumMap<>(values);
        changed.put(rule, setting);
        return new LoaderRules(version, changed);
    }

    /** Whether a rule has this value, or one of those behind it in {@link LoaderRule#choices()}. */
    public boolean atLeast(LoaderRule rule, String value) {
        return rule.choices().indexOf(setting(rule).value()) >= rule.choices().indexOf(value);
    }

    /** Whether a rule has this value. */
    public boolean is(LoaderRule rule, String value) {
        return setting(rule).value().equals(value);
    }
}
