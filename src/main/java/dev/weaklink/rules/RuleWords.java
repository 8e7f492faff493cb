package dev.weaklink.rules;

import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.rules.Rules.FindingRule;
import dev.weaklink.rules.Rules.Pin;
import dev.weaklink.rules.Rules.SymbolRule;
import dev.weaklink.sys.Escape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats rules for people. Strings from files are escaped. */
final class RuleWords {
    private RuleWords() {}

    static String yesNo(boolean yes) {
        return yes ? "yes" : "no";
    }

    static String origin(Attributed<?> decided) {
        String because = decided.because();
        return "("
                + Escape.text(decided.origin().toString())
                + ")"
                + (because == null ? "" : " because: " + Escape.text(because));
    }

    static String provider(ProviderPreference preference) {
        return switch (preference.kind()) {
            case NEWEST -> "newest";
            case SAME_MINOR -> "same-minor";
            case LISTED -> "only " + patterns(preference.listed());
        };
    }

    static String rebuild(@Nullable Attributed<RebuildHint> hint) {
        if (hint == null) {
            return "unknown";
        }
        String product = hint.value().product();
        return Escape.text(hint.value().backend()) + (product == null ? "" : " " + Escape.text(product));
    }

    static String pin(Pin pin) {
        List<String> parts = new ArrayList<>();
        if (!pin.providers().isEmpty()) {
            parts.add("only builds for " + patterns(pin.providers()));
        }
        if (pin.link() != null) {
            parts.add("link " + pin.link().id());
        }
        return String.join(", ", parts);
    }

    static String selector(Selector selector) {
        List<String> parts = new ArrayList<>();
        add(parts, "module ", selector.modules());
        add(parts, "unit ", selector.units());
        add(parts, "kernel ", selector.kernels());
        return String.join(", ", parts);
    }

    static String symbols(SymbolRule rule) {
        List<String> parts = new ArrayList<>();
        add(parts, "symbol ", rule.symbols());
        add(parts, "module ", rule.modules());
        add(parts, "namespace ", rule.namespaces());
        return String.join(", ", parts);
    }

    static String findings(FindingRule rule) {
        String selector = selector(rule.rule().selector());
        return "finding " + patterns(rule.findings()) + (selector.isEmpty() ? "" : ", " + selector);
    }

    private static void add(List<String> parts, String what, List<NamePattern> patterns) {
        if (!patterns.isEmpty()) {
            parts.add(what + patterns(patterns));
        }
    }

    private static String patterns(List<NamePattern> patterns) {
        List<String> words =
                patterns.stream().map(pattern -> Escape.text(pattern.text())).toList();
        return String.join(" or ", words);
    }

    static List<String> escaped(List<String> names) {
        return names.stream().map(name -> Escape.text(name)).toList();
    }
}
