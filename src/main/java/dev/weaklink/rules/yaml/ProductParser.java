package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.rules.Product.Recognition;
import dev.weaklink.rules.Product.UndeterminedPolicy;
import dev.weaklink.rules.Product.Wholeness;
import dev.weaklink.rules.ProviderPreference;
import dev.weaklink.rules.ProviderPreference.Kind;
import dev.weaklink.rules.yaml.Problems.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;

final class ProductParser {
    static final List<LinkPolicy> LINK = List.of(LinkPolicy.values());
    private static final List<Wholeness> WHOLENESS = List.of(Wholeness.values());
    static final List<UndeterminedPolicy> UNDETERMINED = List.of(UndeterminedPolicy.values());

    private static final String RECOGNISE = "recognise";
    private static final String PROVIDER = "provider";
    private static final String REBUILD = "rebuild";
    private static final List<String> KEYS = List.of(
            "id",
            "title",
            RECOGNISE,
            "required",
            "all-or-nothing",
            PROVIDER,
            "may-break",
            "link",
            "undetermined",
            REBUILD);
    private static final List<String> RECOGNISE_KEYS = List.of("packages", "directories", "modules");

    private final String file;
    private final Problems problems;
    private final Values values;

    ProductParser(String file, Problems problems) {
        this.file = file;
        this.problems = problems;
        this.values = new Values(problems);
    }

    /** Parses a product; returns null if it has no usable id. */
    @Nullable
    ProductDraft parse(Node node) {
        Fields fields = Fields.of(node, "a product", KEYS, problems);
        Attributed<String> id = values.name(fields, "id");
        if (fields.lacks("id")) {
            problems.add(Place.of(node), "a product needs an id");
        }
        ProductDraft draft = new ProductDraft(
                id == null ? "" : id.value(),
                file,
                Place.of(node),
                values.text(fields, "title"),
                recognition(fields),
                values.modules(fields, "required"),
                values.word(fields, "all-or-nothing", WHOLENESS),
                provider(fields),
                values.modules(fields, "may-break"),
                values.word(fields, "link", LINK),
                values.word(fields, "undetermined", UNDETERMINED),
                new RebuildParser(problems, values).parse(fields, REBUILD));
        return id == null ? null : checked(draft, fields);
    }

    private ProductDraft checked(ProductDraft draft, Fields fields) {
        if (draft.id().equals(Product.GENERIC) && draft.recognition() != null) {
            problems.add(
                    fields.at(RECOGNISE),
                    "'" + Product.GENERIC + "' takes what no other product matches, so it cannot recognise anything");
        }
        return draft;
    }

    private @Nullable Recognition recognition(Fields fields) {
        Node node = fields.get(RECOGNISE);
        if (node == null) {
            return null;
        }
        Fields ways = Fields.of(node, "'" + RECOGNISE + "'", RECOGNISE_KEYS, problems);
        List<Attributed<NamePattern>> modules = new ArrayList<>();
        for (Attributed<NamePattern> pattern : values.placedPatterns(ways, "modules")) {
            modules.add(new Attributed<>(NamePattern.ofModule(pattern.value().text()), pattern.origin()));
        }
        return new Recognition(
                values.placedPatterns(ways, "packages"), values.placedPatterns(ways, "directories"), modules);
    }

    private @Nullable Attributed<ProviderPreference> provider(Fields fields) {
        Node node = fields.get(PROVIDER);
        if (node == null) {
            return null;
        }
        RuleOrigin origin = problems.origin(fields.at(PROVIDER));
        if (!(node instanceof SequenceNode)) {
            String word = Values.scalar(node);
            ProviderPreference order = word == null ? null : ordered(word);
            if (order == null) {
                values.expected(node, PROVIDER, "newest, same-minor or a list of kernel releases");
            }
            return order == null ? null : new Attributed<>(order, origin);
        }
        List<NamePattern> listed = values.patterns(fields, PROVIDER);
        return new Attributed<>(new ProviderPreference(Kind.LISTED, listed), origin);
    }

    private static @Nullable ProviderPreference ordered(String word) {
        return switch (word) {
            case "newest" -> ProviderPreference.NEWEST;
            case "same-minor" -> new ProviderPreference(Kind.SAME_MINOR, List.of());
            default -> null;
        };
    }

    /** Reads the way a product is built. */
    private record RebuildParser(Problems problems, Values values) {
        private static final String BACKEND = "backend";
        private static final String COMMAND = "command";
        private static final String ENVIRONMENT = "environment";
        private static final String RESULTS = "results";
        private static final List<String> KEYS = List.of(BACKEND, "product", "packages", COMMAND, ENVIRONMENT, RESULTS);

        /** Parses the value of a key; returns null if the key is missing or its value unusable. */
        @Nullable
        Attributed<RebuildHint> parse(Fields product, String key) {
            Node node = product.get(key);
            if (node == null) {
                return null;
            }
            Fields fields = Fields.of(node, "'" + key + "'", KEYS, problems);
            Attributed<String> backend = values.name(fields, BACKEND);
            Attributed<String> name = values.name(fields, "product");
            List<String> packages = values.texts(fields, "packages");
            RebuildHint.Command command = command(fields);
            if (backend == null) {
                if (fields.lacks(BACKEND)) {
                    problems.add(Place.of(node), "'" + key + "' has no backend; name one");
                }
                return null;
            }
            check(backend.value(), fields, node);
            return new Attributed<>(
                    new RebuildHint(backend.value(), name == null ? null : name.value(), packages, command),
                    problems.origin(product.at(key)));
        }

        private RebuildHint.@Nullable Command command(Fields fields) {
            List<String> words = values.texts(fields, COMMAND);
            Map<String, String> environment = values.textsByName(fields, ENVIRONMENT);
            Node results = fields.get(RESULTS);
            String directory = Values.scalar(results);
            if (results != null && (directory == null || !directory.startsWith("/") && !directory.startsWith("{"))) {
                values.expected(results, RESULTS, "an absolute path, which may begin with {root} or {build}");
            }
            return words.isEmpty() ? null : new RebuildHint.Command(words, environment, directory);
        }

        private void check(String backend, Fields fields, Node node) {
            if (!RebuildHint.BACKENDS.contains(backend)) {
                problems.add(
                        fields.at(BACKEND),
                        "there is no backend '" + backend + "'; there are " + String.join(", ", RebuildHint.BACKENDS));
            }
            boolean own = backend.equals(RebuildHint.COMMAND);
            if (own && fields.lacks(COMMAND)) {
                problems.add(Place.of(node), "the backend 'command' has no command; name a program and its words");
            }
            for (String key : List.of(COMMAND, ENVIRONMENT, RESULTS)) {
                if (!own && fields.get(key) != null) {
                    problems.add(fields.at(key), "'" + key + "' is for the backend 'command' alone");
                }
            }
        }
    }

    /**
     * The properties of a product from one file, or merged from several; null for unset properties.
     *
     * @param file the last file that sets a property
     * @param at the product's place in that file
     */
    record ProductDraft(
            String id,
            String file,
            Place at,
            @Nullable Attributed<String> title,
            @Nullable Recognition recognition,
            @Nullable Attributed<List<String>> required,
            @Nullable Attributed<Wholeness> allOrNothing,
            @Nullable Attributed<ProviderPreference> provider,
            @Nullable Attributed<List<String>> mayBreak,
            @Nullable Attributed<LinkPolicy> link,
            @Nullable Attributed<UndeterminedPolicy> undetermined,
            @Nullable Attributed<RebuildHint> rebuild) {
        /** Returns this draft, with unset properties taken from an earlier file's draft. */
        ProductDraft over(@Nullable ProductDraft earlier) {
            if (earlier == null) {
                return this;
            }
            return new ProductDraft(
                    id,
                    file,
                    at,
                    either(title, earlier.title),
                    either(recognition, earlier.recognition),
                    either(required, earlier.required),
                    either(allOrNothing, earlier.allOrNothing),
                    either(provider, earlier.provider),
                    either(mayBreak, earlier.mayBreak),
                    either(link, earlier.link),
                    either(undetermined, earlier.undetermined),
                    either(rebuild, earlier.rebuild));
        }

        /**
         * Returns the product. Policies that are unset are inherited, but not title, recognition, required modules,
         * modules that may break, and rebuild.
         */
        Product inheriting(Product other) {
            return new Product(
                    id,
                    title == null ? Attributed.byDefault(id) : title,
                    recognition == null ? Recognition.NONE : recognition,
                    required == null ? Attributed.byDefault(List.of()) : required,
                    allOrNothing == null ? other.allOrNothing() : allOrNothing,
                    provider == null ? other.provider() : provider,
                    mayBreak == null ? Attributed.byDefault(List.of()) : mayBreak,
                    link == null ? other.link() : link,
                    undetermined == null ? other.undetermined() : undetermined,
                    rebuild);
        }

        private static <T> @Nullable T either(@Nullable T value, @Nullable T otherwise) {
            return value == null ? otherwise : value;
        }
    }
}
