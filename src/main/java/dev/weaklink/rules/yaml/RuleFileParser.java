package dev.weaklink.rules.yaml;

import dev.weaklink.loader.FindingKind;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.rules.Product.Recognition;
import dev.weaklink.rules.Product.UndeterminedPolicy;
import dev.weaklink.rules.Product.Wholeness;
import dev.weaklink.rules.ProviderPreference;
import dev.weaklink.rules.Rules.FindingRule;
import dev.weaklink.rules.Rules.Pin;
import dev.weaklink.rules.Rules.Rule;
import dev.weaklink.rules.Rules.Severity;
import dev.weaklink.rules.Rules.SymbolRule;
import dev.weaklink.rules.Selector;
import dev.weaklink.rules.yaml.RuleSection.RuleKey;
import dev.weaklink.rules.yaml.RuleSection.ValueReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Parses a rule file. After a problem, the parser continues with the next value, key or entry. The constants are the
 * table of all keys and their values.
 */
final class RuleFileParser {
    private static final List<Severity> SEVERITIES = List.of(Severity.values());
    private static final List<Severity> PASS_OR_FAIL = List.of(Severity.PASS, Severity.FAIL);
    private static final List<UndeterminedPolicy> POLICIES = List.of(UndeterminedPolicy.values());

    // The keys of 'recognise' and 'rebuild'.
    private static final RuleKey<List<Attributed<NamePattern>>> PACKAGES =
            new RuleKey<>("packages", Values::placedPatterns);
    private static final RuleKey<List<Attributed<NamePattern>>> DIRECTORIES =
            new RuleKey<>("directories", Values::placedPatterns);
    private static final RuleKey<List<Attributed<NamePattern>>> MODULES =
            new RuleKey<>("modules", Values::placedModulePatterns);
    private static final List<RuleKey<?>> RECOGNITION = List.of(PACKAGES, DIRECTORIES, MODULES);

    private static final RuleKey<String> BACKEND = new RuleKey<>("backend", Values::name);
    private static final RuleKey<String> BACKEND_PRODUCT = new RuleKey<>("product", Values::name);
    private static final RuleKey<List<String>> BACKEND_PACKAGES = new RuleKey<>("packages", Values::texts);
    private static final RuleKey<List<String>> COMMAND = new RuleKey<>("command", Values::texts);
    private static final RuleKey<Map<String, String>> ENVIRONMENT = new RuleKey<>("environment", Values::textsByName);
    private static final RuleKey<String> RESULTS = new RuleKey<>("results", Values::directory);
    private static final List<RuleKey<?>> REBUILDING =
            List.of(BACKEND, BACKEND_PRODUCT, BACKEND_PACKAGES, COMMAND, ENVIRONMENT, RESULTS);

    // The keys of a product.
    static final RuleKey<String> ID = new RuleKey<>("id", Values::name);
    static final RuleKey<String> TITLE = new RuleKey<>("title", Values::text);
    static final RuleKey<Recognition> RECOGNISE = new RuleKey<>("recognise", RuleFileParser::recognition);
    static final RuleKey<List<String>> REQUIRED = new RuleKey<>("required", Values::modules);
    static final RuleKey<Wholeness> ALL_OR_NOTHING =
            new RuleKey<>("all-or-nothing", Values.word(List.of(Wholeness.values())));
    static final RuleKey<ProviderPreference> PREFERENCE = new RuleKey<>("provider", Values::preference);
    static final RuleKey<List<String>> MAY_BREAK = new RuleKey<>("may-break", Values::modules);
    static final RuleKey<LinkPolicy> LINK = new RuleKey<>("link", Values.word(List.of(LinkPolicy.values())));
    static final RuleKey<UndeterminedPolicy> UNDETERMINED_POLICY = new RuleKey<>("undetermined", Values.word(POLICIES));
    static final RuleKey<RebuildHint> REBUILD = new RuleKey<>("rebuild", RuleFileParser::rebuild);
    private static final List<RuleKey<?>> PRODUCT = List.of(
            ID, TITLE, RECOGNISE, REQUIRED, ALL_OR_NOTHING, PREFERENCE, MAY_BREAK, LINK, UNDETERMINED_POLICY, REBUILD);

    // The keys of the other rules.
    private static final RuleKey<List<NamePattern>> MODULE = new RuleKey<>("module", Values::modulePatterns);
    private static final RuleKey<List<NamePattern>> UNIT = new RuleKey<>("unit", Values::patterns);
    private static final RuleKey<List<NamePattern>> KERNEL = new RuleKey<>("kernel", Values::patterns);
    private static final RuleKey<List<NamePattern>> PROVIDERS = new RuleKey<>("provider", Values::patterns);
    private static final RuleKey<List<NamePattern>> SYMBOL = new RuleKey<>("symbol", Values::patterns);
    private static final RuleKey<List<NamePattern>> NAMESPACE = new RuleKey<>("namespace", Values::patterns);
    private static final RuleKey<List<NamePattern>> FINDING = new RuleKey<>("finding", Values::patterns);
    private static final RuleKey<UndeterminedPolicy> THEN_POLICY = new RuleKey<>("then", Values.word(POLICIES));
    private static final RuleKey<Severity> THEN_SEVERITY = new RuleKey<>("then", Values.word(SEVERITIES));
    private static final RuleKey<Severity> THEN_PASS_OR_FAIL = new RuleKey<>("then", Values.word(PASS_OR_FAIL));
    private static final RuleKey<String> BECAUSE = new RuleKey<>("because", Values::text);

    // The keys of a file.
    static final RuleKey<List<RuleSection>> PRODUCTS =
            new RuleKey<>("products", each("a product", PRODUCT, RuleFileParser::product));
    static final RuleKey<List<Rule<Boolean>>> IGNORE = new RuleKey<>(
            "ignore", each("'ignore'", List.of(MODULE, UNIT, KERNEL, BECAUSE), section -> rule(section, true)));
    static final RuleKey<List<Rule<Pin>>> PIN = new RuleKey<>(
            "pin", each("'pin'", List.of(MODULE, UNIT, KERNEL, PROVIDERS, LINK, BECAUSE), RuleFileParser::pin));
    static final RuleKey<List<Rule<UndeterminedPolicy>>> UNDETERMINED = new RuleKey<>(
            "undetermined",
            each("'undetermined'", List.of(MODULE, UNIT, KERNEL, THEN_POLICY, BECAUSE), RuleFileParser::undetermined));
    static final RuleKey<List<SymbolRule>> SYMBOLS = new RuleKey<>(
            "symbols",
            each("'symbols'", List.of(SYMBOL, MODULE, NAMESPACE, THEN_SEVERITY, BECAUSE), RuleFileParser::symbol));
    static final RuleKey<List<FindingRule>> FINDINGS = new RuleKey<>(
            "findings",
            each(
                    "'findings'",
                    List.of(FINDING, MODULE, UNIT, KERNEL, THEN_PASS_OR_FAIL, BECAUSE),
                    RuleFileParser::finding));
    private static final List<RuleKey<?>> RULE_FILE = List.of(PRODUCTS, IGNORE, PIN, UNDETERMINED, SYMBOLS, FINDINGS);

    // The keys of a file of requirements.
    private static final RuleKey<List<NamePattern>> MUST_SERVE = new RuleKey<>("must-serve", Values::patterns);
    private static final RuleKey<List<NamePattern>> MAY_LOSE = new RuleKey<>("may-lose", Values::patterns);
    private static final RuleKey<Map<String, List<NamePattern>>> REQUIRED_PRODUCTS =
            new RuleKey<>("products", Values::patternsByName);
    private static final List<RuleKey<?>> REQUIREMENTS = List.of(MUST_SERVE, MAY_LOSE, REQUIRED_PRODUCTS);

    private RuleFileParser() {}

    /**
     * Parses a rule file.
     *
     * @param problems receives the file's problems; if any are added, the result is incomplete
     * @return null if the text is not usable YAML
     */
    static @Nullable RuleSection parse(String text, Problems problems) {
        Node node = YamlText.read(text, problems);
        if (node == null) {
            return null;
        }
        RuleSection file = RuleSection.of(node, "a rule file", RULE_FILE, problems);
        Map<String, RuleSection> products = new HashMap<>();
        for (RuleSection product : file.list(PRODUCTS)) {
            String id = product.get(ID, "");
            RuleSection earlier = products.putIfAbsent(id, product);
            if (earlier != null) {
                product.problem("product '" + id + "' is already in line "
                        + earlier.start().line() + "; merge both");
            }
        }
        return file;
    }

    /**
     * Parses the kernels that builds have to support.
     *
     * @param problems receives the file's problems; if any are added, the result is incomplete
     * @return null if the text is not usable YAML
     */
    static @Nullable KernelRequirements requirements(String text, Problems problems) {
        Node node = YamlText.read(text, problems);
        if (node == null) {
            return null;
        }
        RuleSection file = RuleSection.of(node, "requirements", REQUIREMENTS, problems);
        if (file.lacks(MUST_SERVE)) {
            file.problem("'must-serve' is missing; it takes a list of kernels, such as el9_4");
        }
        return new KernelRequirements(
                file.list(MUST_SERVE), file.list(MAY_LOSE), file.get(REQUIRED_PRODUCTS, Map.of()));
    }

    private interface EntryReader<T> {
        /** Reads an entry of a list; returns null after reporting a problem if the entry is unusable. */
        @Nullable
        T read(RuleSection section);
    }

    private static <T> ValueReader<List<T>> each(String what, List<RuleKey<?>> keys, EntryReader<T> reader) {
        return (node, key, problems) -> {
            List<T> read = new ArrayList<>();
            if (!(node instanceof SequenceNode list)) {
                Values.expected(node, key, "a list", problems);
                return read;
            }
            for (Node item : list.getValue()) {
                T entry = reader.read(RuleSection.of(item, what, keys, problems));
                if (entry != null) {
                    read.add(entry);
                }
            }
            return read;
        };
    }

    private static @Nullable RuleSection product(RuleSection product) {
        if (product.lacks(ID)) {
            product.problem("a product needs an id");
        }
        String id = product.get(ID);
        if (Product.GENERIC.equals(id) && product.has(RECOGNISE)) {
            product.problem(
                    RECOGNISE,
                    "'" + Product.GENERIC + "' is for all units that no other product recognises; remove 'recognise'");
        }
        return id == null ? null : product;
    }

    private static Recognition recognition(Node node, String key, Problems problems) {
        RuleSection ways = RuleSection.of(node, "'" + key + "'", RECOGNITION, problems);
        return new Recognition(ways.list(PACKAGES), ways.list(DIRECTORIES), ways.list(MODULES));
    }

    private static @Nullable RebuildHint rebuild(Node node, String key, Problems problems) {
        RuleSection section = RuleSection.of(node, "'" + key + "'", REBUILDING, problems);
        String backend = section.get(BACKEND);
        if (backend == null) {
            if (section.lacks(BACKEND)) {
                section.problem("'" + key + "' has no backend; name one");
            }
            return null;
        }
        checkBackend(backend, section);
        List<String> words = section.list(COMMAND);
        RebuildHint.SiteCommand command = words.isEmpty()
                ? null
                : new RebuildHint.SiteCommand(words, section.get(ENVIRONMENT, Map.of()), section.get(RESULTS));
        return new RebuildHint(backend, section.get(BACKEND_PRODUCT), section.list(BACKEND_PACKAGES), command);
    }

    private static void checkBackend(String backend, RuleSection section) {
        if (!RebuildHint.BACKENDS.contains(backend)) {
            section.problem(
                    BACKEND,
                    "there is no backend '" + backend + "'; there are " + String.join(", ", RebuildHint.BACKENDS));
        }
        boolean isCommand = backend.equals(RebuildHint.COMMAND);
        if (isCommand && section.lacks(COMMAND)) {
            section.problem("the backend 'command' needs the key 'command': a program and its arguments");
        }
        for (RuleKey<?> key : List.of(COMMAND, ENVIRONMENT, RESULTS)) {
            if (!isCommand && section.has(key)) {
                section.problem(key, "'" + key.name() + "' is only for the backend 'command'");
            }
        }
    }

    private static Rule<Pin> pin(RuleSection section) {
        if (section.lacks(PROVIDERS, LINK)) {
            section.problem("pin has no effect; give it 'provider' or 'link'");
        }
        return rule(section, new Pin(section.list(PROVIDERS), section.get(LINK)));
    }

    private static @Nullable Rule<UndeterminedPolicy> undetermined(RuleSection section) {
        checkHas(section, THEN_POLICY, Values.words(POLICIES));
        UndeterminedPolicy then = section.get(THEN_POLICY);
        return then == null ? null : rule(section, then);
    }

    private static @Nullable SymbolRule symbol(RuleSection section) {
        checkHas(section, THEN_SEVERITY, Values.words(SEVERITIES));
        if (section.lacks(SYMBOL, MODULE, NAMESPACE)) {
            section.problem("rule matches nothing; give it 'symbol', 'module' or 'namespace'");
        }
        Severity then = section.get(THEN_SEVERITY);
        return then == null
                ? null
                : new SymbolRule(
                        section.list(SYMBOL), section.list(MODULE), section.list(NAMESPACE), decision(section, then));
    }

    private static @Nullable FindingRule finding(RuleSection section) {
        checkHas(section, THEN_PASS_OR_FAIL, Values.words(PASS_OR_FAIL));
        if (section.lacks(FINDING)) {
            section.problem("rule matches nothing; give it 'finding'");
        }
        for (NamePattern finding : section.list(FINDING)) {
            if (!isAny(finding)) {
                section.problem("no finding is called '" + finding.text() + "'; see 'weaklink explain'");
            }
        }
        Severity then = section.get(THEN_PASS_OR_FAIL);
        return then == null
                ? null
                : new FindingRule(section.list(FINDING), new Rule<>(selector(section), decision(section, then)));
    }

    private static boolean isAny(NamePattern finding) {
        for (FindingKind kind : FindingKind.values()) {
            if (finding.matches(kind.id())) {
                return true;
            }
        }
        return false;
    }

    private static void checkHas(RuleSection section, RuleKey<?> then, String choices) {
        if (section.lacks(then)) {
            section.problem("rule has no effect; give it 'then': " + choices);
        }
    }

    private static <T> Rule<T> rule(RuleSection section, T value) {
        if (section.lacks(MODULE, UNIT, KERNEL)) {
            section.problem("rule matches nothing; give it 'module', 'unit' or 'kernel'");
        }
        return new Rule<>(selector(section), decision(section, value));
    }

    private static Selector selector(RuleSection section) {
        return new Selector(section.list(MODULE), section.list(UNIT), section.list(KERNEL));
    }

    private static <T> Attributed<T> decision(RuleSection section, T value) {
        return new Attributed<>(value, section.origin(), section.get(BECAUSE));
    }
}
