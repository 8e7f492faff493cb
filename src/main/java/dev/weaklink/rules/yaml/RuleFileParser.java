package dev.weaklink.rules.yaml;

import dev.weaklink.loader.FindingKind;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Product.UndeterminedPolicy;
import dev.weaklink.rules.Rules.FindingRule;
import dev.weaklink.rules.Rules.Pin;
import dev.weaklink.rules.Rules.Rule;
import dev.weaklink.rules.Rules.Severity;
import dev.weaklink.rules.Rules.SymbolRule;
import dev.weaklink.rules.Selector;
import dev.weaklink.rules.yaml.Problems.Place;
import dev.weaklink.rules.yaml.ProductParser.ProductDraft;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/** Parses a rule file, and continues after each problem. */
final class RuleFileParser {
    private static final String MUST_SERVE = "must-serve";
    private static final String MAY_LOSE = "may-lose";
    private static final String PRODUCTS = "products";
    private static final String IGNORE = "ignore";
    private static final String PIN = "pin";
    private static final String UNDETERMINED = "undetermined";
    private static final String SYMBOLS = "symbols";
    private static final String FINDINGS = "findings";
    private static final List<String> KEYS = List.of(PRODUCTS, IGNORE, PIN, UNDETERMINED, SYMBOLS, FINDINGS);

    private final String file;
    private final Problems problems;
    private final Values values;
    private final EntryParser entries;

    private RuleFileParser(String file, Problems problems) {
        this.file = file;
        this.problems = problems;
        this.values = new Values(problems);
        this.entries = new EntryParser(problems);
    }

    /**
     * Parses a rule file.
     *
     * @param file its name in messages
     * @param text its contents
     * @param problems receives the file's problems; if any are added, the result is incomplete
     */
    static RuleFile parse(String file, String text, Problems problems) {
        Node node = YamlText.read(text, problems);
        return node == null
                ? new RuleFile(List.of(), List.of(), List.of(), List.of(), List.of(), List.of())
                : new RuleFileParser(file, problems).file(node);
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
        Fields fields = Fields.of(node, "requirements", List.of(MUST_SERVE, MAY_LOSE, PRODUCTS), problems);
        Values values = new Values(problems);
        if (fields.lacks(MUST_SERVE)) {
            problems.add(Place.of(node), "'" + MUST_SERVE + "' is missing: a list of kernels, such as el9_4");
        }
        return new KernelRequirements(
                values.patterns(fields, MUST_SERVE),
                values.patterns(fields, MAY_LOSE),
                values.patternsByName(fields, PRODUCTS));
    }

    private RuleFile file(Node node) {
        Fields fields = Fields.of(node, "a rule file", KEYS, problems);
        ProductParser parser = new ProductParser(file, problems);
        List<ProductDraft> products = each(fields, PRODUCTS, parser::parse);
        reportRepeated(products);
        return new RuleFile(
                products,
                each(fields, IGNORE, entries::ignore),
                each(fields, PIN, entries::pin),
                each(fields, UNDETERMINED, entries::undetermined),
                each(fields, SYMBOLS, entries::symbol),
                each(fields, FINDINGS, entries::finding));
    }

    private interface Reader<T> {
        /** Reads an item; returns null after reporting a problem if the item is unusable. */
        @Nullable
        T read(Node node);
    }

    private <T> List<T> each(Fields fields, String key, Reader<T> reader) {
        List<T> read = new ArrayList<>();
        Node node = fields.get(key);
        if (node instanceof SequenceNode list) {
            for (Node item : list.getValue()) {
                T one = reader.read(item);
                if (one != null) {
                    read.add(one);
                }
            }
        } else if (node != null) {
            values.expected(node, key, "a list");
        }
        return read;
    }

    private void reportRepeated(List<ProductDraft> products) {
        Map<String, Place> seen = new HashMap<>();
        for (ProductDraft product : products) {
            Place earlier = seen.putIfAbsent(product.id(), product.at());
            if (earlier != null) {
                problems.add(
                        product.at(),
                        "product '" + product.id() + "' is already in line " + earlier.line() + "; join them");
            }
        }
    }

    /** Parses one entry of a file's lists of rules. A result is valid only if no problems were added. */
    private static final class EntryParser {
        private static final String MODULE = "module";
        private static final String UNIT = "unit";
        private static final String KERNEL = "kernel";
        private static final String PROVIDER = "provider";
        private static final String LINK = "link";
        private static final String THEN = "then";
        private static final String BECAUSE = "because";
        private static final List<String> IGNORE_KEYS = List.of(MODULE, UNIT, KERNEL, BECAUSE);
        private static final List<String> PIN_KEYS = List.of(MODULE, UNIT, KERNEL, PROVIDER, LINK, BECAUSE);
        private static final List<String> UNDETERMINED_KEYS = List.of(MODULE, UNIT, KERNEL, THEN, BECAUSE);
        private static final List<String> SYMBOL_KEYS = List.of("symbol", MODULE, "namespace", THEN, BECAUSE);
        private static final String FINDING = "finding";
        private static final List<String> FINDING_KEYS = List.of(FINDING, MODULE, UNIT, KERNEL, THEN, BECAUSE);
        private static final List<Severity> PASS_OR_FAIL = List.of(Severity.PASS, Severity.FAIL);
        private static final List<Severity> SEVERITIES = List.of(Severity.values());

        private final Problems problems;
        private final Values values;

        EntryParser(Problems problems) {
            this.problems = problems;
            this.values = new Values(problems);
        }

        Rule<Boolean> ignore(Node node) {
            Fields fields = Fields.of(node, "'ignore'", IGNORE_KEYS, problems);
            return rule(node, fields, true);
        }

        Rule<Pin> pin(Node node) {
            Fields fields = Fields.of(node, "'pin'", PIN_KEYS, problems);
            List<NamePattern> providers = values.patterns(fields, PROVIDER);
            Attributed<LinkPolicy> link = values.word(fields, LINK, ProductParser.LINK);
            if (fields.lacks(PROVIDER, LINK)) {
                problems.add(Place.of(node), "empty pin; give it 'provider' or 'link'");
            }
            return rule(node, fields, new Pin(providers, link == null ? null : link.value()));
        }

        @Nullable
        Rule<UndeterminedPolicy> undetermined(Node node) {
            Fields fields = Fields.of(node, "'undetermined'", UNDETERMINED_KEYS, problems);
            Attributed<UndeterminedPolicy> then = then(node, fields, ProductParser.UNDETERMINED);
            return then == null ? null : rule(node, fields, then.value());
        }

        @Nullable
        SymbolRule symbol(Node node) {
            Fields fields = Fields.of(node, "'symbols'", SYMBOL_KEYS, problems);
            Attributed<Severity> then = then(node, fields, SEVERITIES);
            List<NamePattern> symbols = values.patterns(fields, "symbol");
            List<NamePattern> modules = values.modulePatterns(fields, MODULE);
            List<NamePattern> namespaces = values.patterns(fields, "namespace");
            String because = because(fields);
            if (fields.lacks("symbol", MODULE, "namespace")) {
                problems.add(Place.of(node), "rule matches nothing; give it 'symbol', 'module' or 'namespace'");
            }
            return then == null
                    ? null
                    : new SymbolRule(
                            symbols, modules, namespaces, new Attributed<>(then.value(), origin(node), because));
        }

        @Nullable
        FindingRule finding(Node node) {
            Fields fields = Fields.of(node, "'findings'", FINDING_KEYS, problems);
            List<NamePattern> findings = values.patterns(fields, FINDING);
            Attributed<Severity> then = then(node, fields, PASS_OR_FAIL);
            if (fields.lacks(FINDING)) {
                problems.add(Place.of(node), "rule matches nothing; give it 'finding'");
            }
            for (NamePattern finding : findings) {
                if (!isAny(finding)) {
                    problems.add(
                            Place.of(node), "no finding is called '" + finding.text() + "'; see 'weaklink explain'");
                }
            }
            if (then == null) {
                return null;
            }
            Attributed<Severity> decision = new Attributed<>(then.value(), origin(node), because(fields));
            return new FindingRule(findings, new Rule<>(selector(fields), decision));
        }

        private static boolean isAny(NamePattern finding) {
            for (FindingKind kind : FindingKind.values()) {
                if (finding.matches(kind.id())) {
                    return true;
                }
            }
            return false;
        }

        private <T extends StableId> @Nullable Attributed<T> then(Node node, Fields fields, List<T> choices) {
            if (fields.lacks(THEN)) {
                problems.add(Place.of(node), "rule has no effect; give it '" + THEN + "': " + Values.words(choices));
            }
            return values.word(fields, THEN, choices);
        }

        private <T> Rule<T> rule(Node node, Fields fields, T value) {
            Selector selector = selector(fields);
            String because = because(fields);
            if (fields.lacks(MODULE, UNIT, KERNEL)) {
                problems.add(Place.of(node), "rule matches nothing; give it 'module', 'unit' or 'kernel'");
            }
            return new Rule<>(selector, new Attributed<>(value, origin(node), because));
        }

        private Selector selector(Fields fields) {
            return new Selector(
                    values.modulePatterns(fields, MODULE),
                    values.patterns(fields, UNIT),
                    values.patterns(fields, KERNEL));
        }

        private RuleOrigin origin(Node node) {
            return problems.origin(Place.of(node));
        }

        private @Nullable String because(Fields fields) {
            Attributed<String> because = values.text(fields, BECAUSE);
            return because == null ? null : because.value();
        }
    }

    /**
     * Parses YAML. Anchors, tags and further documents are refused, so that the nodes are never larger than the text;
     * the readers of the nodes interpret scalars. The library limits nesting to 50 levels.
     */
    private static final class YamlText {
        /** The implicit tags, which nodes get if the file writes no tag. */
        private static final Set<Tag> USUAL_TAGS =
                Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL, Tag.TIMESTAMP, Tag.MERGE, Tag.MAP, Tag.SEQ);

        private YamlText() {}

        /** Returns the document; null after reporting a problem if the text is not usable YAML. */
        static @Nullable Node read(String text, Problems problems) {
            try {
                LoaderOptions options = new LoaderOptions();
                Parser parser = new ParserImpl(new StreamReader(text), options);
                Composer composer = new Composer(parser, new Resolver(), options);
                Node node = composer.checkNode() ? composer.getNode() : null;
                if (composer.checkNode()) {
                    Place at = Place.of(composer.getNode());
                    problems.add(at, "a second document begins here; use a file for each");
                }
                if (node == null || Values.isNothing(node)) {
                    return new MappingNode(Tag.MAP, List.of(), DumperOptions.FlowStyle.BLOCK);
                }
                return isPlain(node, problems) ? node : null;
            } catch (MarkedYAMLException e) {
                problems.add(Place.of(e.getProblemMark()), "not valid YAML: " + reason(e));
            } catch (ReaderException e) {
                Place at = place(text, e.getPosition());
                problems.add(at, "not valid YAML: control characters are not allowed");
            } catch (YAMLException e) {
                problems.add(Place.WHOLE, "not valid YAML: " + firstLine(e.getMessage()));
            }
            return null;
        }

        private static String reason(MarkedYAMLException e) {
            Mark start = e.getContextMark();
            String reason = firstLine(e.getProblem());
            return e.getContext() == null || start == null
                    ? reason
                    : reason + ", " + e.getContext() + " from line " + (start.getLine() + 1) + " on";
        }

        private static String firstLine(@Nullable String message) {
            return message == null
                    ? "it cannot be parsed"
                    : message.lines().findFirst().orElse("");
        }

        /** Returns the place of the character at a code point index. */
        private static Place place(String text, int position) {
            String before = text.substring(0, text.offsetByCodePoints(0, position));
            int lineStart = before.lastIndexOf('\n') + 1;
            int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
            return new Place(line, 1 + before.codePointCount(lineStart, before.length()));
        }

        /**
         * Checks that a tree has no anchors, aliases or explicit tags. The target of an alias has an anchor, at which
         * the check stops, so no node is visited twice.
         */
        private static boolean isPlain(Node node, Problems problems) {
            if (node.getAnchor() != null) {
                problems.add(Place.of(node), "anchors and aliases are not supported; write it out");
                return false;
            }
            boolean plain = USUAL_TAGS.contains(node.getTag());
            if (!plain) {
                problems.add(Place.of(node), "tags are not supported; remove it");
            }
            if (node instanceof SequenceNode list) {
                for (Node item : list.getValue()) {
                    plain &= isPlain(item, problems);
                }
            } else if (node instanceof MappingNode mapping) {
                for (NodeTuple entry : mapping.getValue()) {
                    plain &= isPlain(entry.getKeyNode(), problems) && isPlain(entry.getValueNode(), problems);
                    if (!(entry.getKeyNode() instanceof ScalarNode)) {
                        problems.add(Place.of(entry.getKeyNode()), "a key must be a word");
                        plain = false;
                    }
                }
            }
            return plain;
        }
    }

    /** The contents of one file, in its order. */
    record RuleFile(
            List<ProductDraft> products,
            List<Rule<Boolean>> ignored,
            List<Rule<Pin>> pins,
            List<Rule<UndeterminedPolicy>> undetermined,
            List<SymbolRule> symbols,
            List<FindingRule> findings) {}
}
