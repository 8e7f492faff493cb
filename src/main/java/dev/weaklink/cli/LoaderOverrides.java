package dev.weaklink.cli;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class LoaderOverrides {
    private static final String LOADER = "--loader";

    private LoaderOverrides() {}

    static void addTo(CommandSpec spec) {
        String description =
                "Set a rule of the kernel's module loader that weaklink cannot detect. Can be given several"
                        + " times. Keys and values: "
                        + String.join(", ", settings())
                        + ".";
        spec.addOption(Options.values("KEY=VALUE", words(), LOADER).toBuilder()
                .description(description)
                .build());
    }

    static Map<LoaderRule, String> parse(ParseResult parsed) {
        return parse(Options.texts(parsed, LOADER));
    }

    static List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (LoaderRule rule : LoaderRule.values()) {
            keys.add(rule.id());
        }
        return keys;
    }

    private static List<String> settings() {
        List<String> settings = new ArrayList<>();
        for (LoaderRule rule : LoaderRule.values()) {
            String values = rule.choices().isEmpty() ? "VERSION" : String.join("|", rule.choices());
            settings.add(rule.id() + "=" + values);
        }
        return settings;
    }

    private static List<String> words() {
        List<String> words = new ArrayList<>();
        for (LoaderRule rule : LoaderRule.values()) {
            rule.choices().forEach(value -> words.add(rule.id() + "=" + value));
        }
        return words;
    }

    /**
     * Parses {@code KEY=VALUE} arguments; the last value of a key counts.
     *
     * @throws UsageException if an argument is invalid
     */
    static Map<LoaderRule, String> parse(List<String> words) {
        Map<LoaderRule, String> overrides = new EnumMap<>(LoaderRule.class);
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 0 || equals == word.length() - 1) {
                throw new UsageException("--loader takes KEY=VALUE, not '" + word + "'");
            }
            LoaderRule rule = rule(word.substring(0, equals));
            overrides.put(rule, value(rule, word.substring(equals + 1)));
        }
        return overrides;
    }

    private static String value(LoaderRule rule, String value) {
        if (!rule.accepts(value)) {
            throw new UsageException("--loader "
                    + rule.id()
                    + " cannot be '"
                    + value
                    + "'; it takes "
                    + (rule.choices().isEmpty()
                            ? "a kernel version such as 6.1"
                            : String.join(" or ", rule.choices())));
        }
        return value;
    }

    private static LoaderRule rule(String key) {
        LoaderRule rule = StableId.of(key, List.of(LoaderRule.values()));
        if (rule == null) {
            throw new UsageException("--loader has no key '" + key + "'; it has " + String.join(", ", keys()));
        }
        return rule;
    }
}
