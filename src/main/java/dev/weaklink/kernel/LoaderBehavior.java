package dev.weaklink.kernel;

import java.util.EnumMap;
import java.util.Map;

/**
 * The rules by which one kernel's loader accepts or refuses modules. Every setting names its evidence, and is marked as
 * assumed if it is only likely.
 *
 * @param version the kernel version that decides the order and the messages of the checks
 * @param values a setting for every {@link LoaderRule}
 */
public record LoaderBehavior(KernelVersion version, Map<LoaderRule, Setting> values) {

    /**
     * Copies the settings.
     *
     * @throws IllegalArgumentException if a rule has no setting
     */
    public LoaderBehavior {
        if (values.size() != LoaderRule.values().length) {
            throw new IllegalArgumentException("every loader rule needs a value");
        }
        values = new EnumMap<>(values);
    }

    /**
     * A value and the evidence for it.
     *
     * @param value a value that the {@link LoaderRule} accepts
     * @param assumed true if the value is only likely, for example because it follows from the version
     * @param evidence the source of the value, for people
     */
    public record Setting(String value, boolean assumed, String evidence) {}

    public Setting setting(LoaderRule rule) {
        Setting setting = values.get(rule);
        if (setting == null) {
            throw new IllegalStateException("no value for loader rule " + rule.id());
        }
        return setting;
    }

    public LoaderBehavior with(LoaderRule rule, Setting setting) {
        Map<LoaderRule, Setting> changed = new EnumMap<>(values);
        changed.put(rule, setting);
        return new LoaderBehavior(version, changed);
    }

    public boolean atLeast(LoaderRule rule, String value) {
        return rule.choices().indexOf(setting(rule).value()) >= rule.choices().indexOf(value);
    }

    public boolean is(LoaderRule rule, String value) {
        return setting(rule).value().equals(value);
    }
}
