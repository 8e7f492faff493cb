package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.rules.ProviderPreference;
import dev.weaklink.rules.ProviderPreference.PreferenceKind;
import dev.weaklink.rules.yaml.Problems.TextPlace;
import dev.weaklink.rules.yaml.RuleSection.RuleKey;
import dev.weaklink.rules.yaml.RuleSection.ValueReader;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Functions that read values. If a value is unusable, a function reports a problem and returns null or leaves out the
 * unusable part.
 */
final class Values {
    private static final int MAX_NAME = 256;
    private static final int MAX_TEXT = 1000;

    private Values() {}

    static <T extends StableId> ValueReader<T> word(List<T> choices) {
        return (node, key, problems) -> {
            T choice = StableId.of(scalar(node), choices);
            if (choice == null) {
                expected(node, key, words(choices), problems);
            }
            return choice;
        };
    }

    static String words(List<? extends StableId> choices) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < choices.size(); i++) {
            words.append(i == 0 ? "" : i == choices.size() - 1 ? " or " : ", ");
            words.append(choices.get(i).id());
        }
        return words.toString();
    }

    static @Nullable String text(Node node, String key, Problems problems) {
        String given = scalar(node);
        String text = given == null ? "" : given.strip();
        if (text.isEmpty() || text.length() > MAX_TEXT) {
            expected(node, key, "a text of up to " + MAX_TEXT + " characters", problems);
            return null;
        }
        return text.replace('\n', ' ');
    }

    static List<String> texts(Node node, String key, Problems problems) {
        return each(node, key, problems, Values::whole);
    }

    static Map<String, String> textsByName(Node node, String key, Problems problems) {
        Map<String, String> texts = new TreeMap<>();
        if (!(node instanceof MappingNode mapping)) {
            expected(node, key, "names and values", problems);
            return texts;
        }
        for (NodeTuple entry : mapping.getValue()) {
            String name = ((ScalarNode) entry.getKeyNode()).getValue();
            TextPlace at = TextPlace.of(entry.getKeyNode());
            String text = whole(entry.getValueNode(), key, problems);
            if (name.isEmpty() || name.indexOf('=') >= 0 || hasOtherThanNames(name)) {
                problems.add(at, "'" + name + "' is not a variable name");
            } else if (text != null && texts.putIfAbsent(name, text) != null) {
                problems.add(at, "duplicate key '" + name + "'; remove one");
            }
        }
        return texts;
    }

    private static @Nullable String whole(Node node, String key, Problems problems) {
        String text = scalar(node);
        if (text == null || text.length() > MAX_TEXT || text.indexOf(0) >= 0) {
            expected(node, key, "texts of up to " + MAX_TEXT + " characters", problems);
            return null;
        }
        return text;
    }

    static @Nullable String directory(Node node, String key, Problems problems) {
        String directory = scalar(node);
        if (directory == null || !directory.startsWith("/") && !directory.startsWith("{")) {
            expected(node, key, "an absolute path, which may begin with {root} or {build}", problems);
            return null;
        }
        return directory;
    }

    static @Nullable String name(Node node, String key, Problems problems) {
        return name(node, key, false, problems);
    }

    static List<String> modules(Node node, String key, Problems problems) {
        return each(node, key, problems, (item, itemKey, all) -> {
            String name = name(item, itemKey, false, all);
            return name == null ? null : NamePattern.moduleName(name);
        });
    }

    static @Nullable ProviderPreference preference(Node node, String key, Problems problems) {
        if (node instanceof SequenceNode) {
            return new ProviderPreference(PreferenceKind.LISTED, patterns(node, key, problems));
        }
        String word = scalar(node);
        if ("newest".equals(word)) {
            return ProviderPreference.NEWEST;
        }
        if ("same-minor".equals(word)) {
            return new ProviderPreference(PreferenceKind.SAME_MINOR, List.of());
        }
        expected(node, key, "newest, same-minor or a list of kernel releases", problems);
        return null;
    }

    /** Reads patterns. An empty list is an error, because a rule without patterns would match everything. */
    static List<NamePattern> patterns(Node node, String key, Problems problems) {
        if (node instanceof SequenceNode list && list.getValue().isEmpty()) {
            problems.add(TextPlace.of(list), "'" + key + "' is empty; leave it out or name something");
        }
        return each(node, key, problems, Values::pattern);
    }

    static List<NamePattern> modulePatterns(Node node, String key, Problems problems) {
        return patterns(node, key, problems).stream()
                .map(pattern -> NamePattern.ofModule(pattern.text()))
                .toList();
    }

    static Map<String, List<NamePattern>> patternsByName(Node node, String key, Problems problems) {
        Map<String, List<NamePattern>> patterns = new LinkedHashMap<>();
        if (!(node instanceof MappingNode mapping)) {
            expected(node, key, "names and patterns", problems);
            return patterns;
        }
        List<RuleKey<?>> keys = new ArrayList<>();
        for (NodeTuple entry : mapping.getValue()) {
            keys.add(new RuleKey<>(((ScalarNode) entry.getKeyNode()).getValue(), Values::patterns));
        }
        RuleSection named = RuleSection.of(node, key, keys, problems);
        for (RuleKey<?> name : keys) {
            patterns.put(name.name(), named.list(new RuleKey<>(name.name(), Values::patterns)));
        }
        return patterns;
    }

    static List<Attributed<NamePattern>> placedPatterns(Node node, String key, Problems problems) {
        return each(node, key, problems, (item, itemKey, all) -> {
            NamePattern pattern = pattern(item, itemKey, all);
            return pattern == null ? null : new Attributed<>(pattern, all.origin(TextPlace.of(item)));
        });
    }

    static List<Attributed<NamePattern>> placedModulePatterns(Node node, String key, Problems problems) {
        return placedPatterns(node, key, problems).stream()
                .map(pattern ->
                        new Attributed<>(NamePattern.ofModule(pattern.value().text()), pattern.origin()))
                .toList();
    }

    private static @Nullable NamePattern pattern(Node node, String key, Problems problems) {
        String name = name(node, key, true, problems);
        return name == null ? null : new NamePattern(name);
    }

    private static <T> List<T> each(Node node, String key, Problems problems, ValueReader<T> reader) {
        List<T> read = new ArrayList<>();
        for (Node item : items(node, key, problems)) {
            T value = reader.read(item, key, problems);
            if (value != null) {
                read.add(value);
            }
        }
        return read;
    }

    private static List<Node> items(Node node, String key, Problems problems) {
        if (node instanceof SequenceNode list) {
            return list.getValue();
        }
        if (scalar(node) != null) {
            return List.of(node);
        }
        expected(node, key, "a name or a list of names", problems);
        return List.of();
    }

    private static @Nullable String name(Node node, String key, boolean wildcards, Problems problems) {
        String name = scalar(node);
        if (name == null) {
            expected(node, key, "names", problems);
            return null;
        }
        if (name.isEmpty() || name.length() > MAX_NAME || hasOtherThanNames(name)) {
            expected(node, key, wildcards ? "names (wildcards * and ? are allowed)" : "names", problems);
            return null;
        }
        if (!wildcards && (name.indexOf('*') >= 0 || name.indexOf('?') >= 0)) {
            problems.add(TextPlace.of(node), "'" + key + "' takes no wildcards, found '" + name + "'");
            return null;
        }
        return name;
    }

    /**
     * Returns whether a string contains a character that weaklink accepts in no name of a module, package, directory,
     * kernel or symbol.
     */
    private static boolean hasOtherThanNames(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c >= 0x7f || "[]{}()\\|,;\"'".indexOf(c) >= 0) {
                return true;
            }
        }
        return false;
    }

    static void expected(Node node, String key, String allowed, Problems problems) {
        problems.add(TextPlace.of(node), "'" + key + "' takes " + allowed + ", not " + kind(node));
    }

    static String kind(Node node) {
        if (isNothing(node)) {
            return "nothing";
        }
        return node instanceof ScalarNode scalar
                ? "'" + scalar.getValue() + "'"
                : node instanceof SequenceNode ? "a list" : "keys and values";
    }

    static @Nullable String scalar(@Nullable Node node) {
        return node instanceof ScalarNode scalar && !isNothing(scalar) ? scalar.getValue() : null;
    }

    /** Returns whether a node is null: nothing, or unquoted null or ~. */
    static boolean isNothing(Node node) {
        return node.getTag().equals(Tag.NULL);
    }
}
