package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.rules.yaml.Problems.Place;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads the values of keys. If a key is missing, or its value is unusable and was reported, the result is null or an
 * empty list.
 */
final class Values {
    private static final int MAX_NAME = 256;
    private static final int MAX_TEXT = 1000;

    private final Problems problems;

    Values(Problems problems) {
        this.problems = problems;
    }

    /** Reads one of several fixed words. */
    <T extends StableId> @Nullable Attributed<T> word(Fields fields, String key, List<T> choices) {
        Node node = fields.get(key);
        if (node == null) {
            return null;
        }
        String given = scalar(node);
        T choice = StableId.of(given, choices);
        if (choice != null) {
            return new Attributed<>(choice, problems.origin(fields.at(key)));
        }
        expected(node, key, words(choices));
        return null;
    }

    /** Returns the words of choices, for messages: "yes, no or ask". */
    static String words(List<? extends StableId> choices) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < choices.size(); i++) {
            words.append(i == 0 ? "" : i == choices.size() - 1 ? " or " : ", ");
            words.append(choices.get(i).id());
        }
        return words.toString();
    }

    /** Reads a text for people; line breaks become blanks. */
    @Nullable
    Attributed<String> text(Fields fields, String key) {
        Node node = fields.get(key);
        if (node == null) {
            return null;
        }
        String given = scalar(node);
        String text = given == null ? "" : given.strip();
        if (text.isEmpty() || text.length() > MAX_TEXT) {
            expected(node, key, "a text of up to " + MAX_TEXT + " characters");
            return null;
        }
        return new Attributed<>(text.replace('\n', ' '), problems.origin(fields.at(key)));
    }

    /** Reads strings as they are; a single value counts as a list of one. */
    List<String> texts(Fields fields, String key) {
        Node node = fields.get(key);
        List<String> texts = new ArrayList<>();
        for (Node item : node == null ? List.<Node>of() : items(node, key)) {
            String text = whole(item, key);
            if (text != null) {
                texts.add(text);
            }
        }
        return texts;
    }

    /** Reads a mapping from names of variables to strings. */
    Map<String, String> textsByName(Fields fields, String key) {
        Node node = fields.get(key);
        Map<String, String> texts = new TreeMap<>();
        if (node == null) {
            return texts;
        }
        if (!(node instanceof MappingNode mapping)) {
            expected(node, key, "names and values");
            return texts;
        }
        for (Fields.Entry entry : Fields.Entry.of(mapping)) {
            String text = whole(entry.value(), key);
            if (entry.key().isEmpty() || entry.key().indexOf('=') >= 0 || hasOtherThanNames(entry.key())) {
                problems.add(entry.at(), "'" + entry.key() + "' is not a variable name");
            } else if (text != null && texts.putIfAbsent(entry.key(), text) != null) {
                problems.add(entry.at(), "duplicate key '" + entry.key() + "'; remove one");
            }
        }
        return texts;
    }

    /** Reads a string that can be passed to a program: any characters except NUL. */
    private @Nullable String whole(Node node, String key) {
        String text = scalar(node);
        if (text == null || text.length() > MAX_TEXT || text.indexOf(0) >= 0) {
            expected(node, key, "texts of up to " + MAX_TEXT + " characters");
            return null;
        }
        return text;
    }

    /** Reads a name that contains no wildcards. */
    @Nullable
    Attributed<String> name(Fields fields, String key) {
        Node node = fields.get(key);
        if (node == null) {
            return null;
        }
        String name = name(node, key, false);
        return name == null ? null : new Attributed<>(name, problems.origin(fields.at(key)));
    }

    /** Reads module names and converts them to the kernel's form; returns null if the key is missing. */
    @Nullable
    Attributed<List<String>> modules(Fields fields, String key) {
        Node node = fields.get(key);
        if (node == null) {
            return null;
        }
        List<String> names = new ArrayList<>();
        for (Node item : items(node, key)) {
            String name = name(item, key, false);
            if (name != null) {
                names.add(NamePattern.moduleName(name));
            }
        }
        return new Attributed<>(List.copyOf(names), problems.origin(fields.at(key)));
    }

    /** Reads patterns. An empty list is an error, because a rule without patterns would match everything. */
    List<NamePattern> patterns(Fields fields, String key) {
        if (fields.get(key) instanceof SequenceNode list && list.getValue().isEmpty()) {
            problems.add(Place.of(list), "'" + key + "' is empty; leave it out or name something");
        }
        return placedPatterns(fields, key).stream()
                .map(pattern -> pattern.value())
                .toList();
    }

    /** Returns patterns by names that the file chooses, in the order of the file. */
    Map<String, List<NamePattern>> patternsByName(Fields fields, String key) {
        Map<String, List<NamePattern>> patterns = new LinkedHashMap<>();
        Node node = fields.get(key);
        if (node instanceof MappingNode mapping) {
            List<String> names =
                    Fields.Entry.of(mapping).stream().map(entry -> entry.key()).toList();
            Fields named = Fields.of(node, key, names, problems);
            names.forEach(name -> patterns.put(name, patterns(named, name)));
        } else if (node != null) {
            expected(node, key, "names and patterns");
        }
        return patterns;
    }

    List<NamePattern> modulePatterns(Fields fields, String key) {
        return patterns(fields, key).stream()
                .map(pattern -> NamePattern.ofModule(pattern.text()))
                .toList();
    }

    /** Reads patterns, each with its own line. */
    List<Attributed<NamePattern>> placedPatterns(Fields fields, String key) {
        Node node = fields.get(key);
        return node == null ? List.of() : placedPatterns(node, key);
    }

    List<Attributed<NamePattern>> placedPatterns(Node node, String key) {
        List<Attributed<NamePattern>> patterns = new ArrayList<>();
        for (Node item : items(node, key)) {
            String name = name(item, key, true);
            if (name != null) {
                patterns.add(new Attributed<>(new NamePattern(name), problems.origin(Place.of(item))));
            }
        }
        return patterns;
    }

    /** Returns the members of a list; a single value counts as a list of one. */
    private List<Node> items(Node node, String key) {
        if (node instanceof SequenceNode list) {
            return list.getValue();
        }
        if (scalar(node) != null) {
            return List.of(node);
        }
        expected(node, key, "a name or a list of names");
        return List.of();
    }

    private @Nullable String name(Node node, String key, boolean wildcards) {
        String name = scalar(node);
        if (name == null) {
            expected(node, key, "names");
            return null;
        }
        if (name.isEmpty() || name.length() > MAX_NAME || hasOtherThanNames(name)) {
            expected(node, key, wildcards ? "names with the wildcards * and ?" : "names");
            return null;
        }
        if (!wildcards && (name.indexOf('*') >= 0 || name.indexOf('?') >= 0)) {
            problems.add(Place.of(node), "'" + key + "' takes no wildcards, as in '" + name + "'");
            return null;
        }
        return name;
    }

    /**
     * Returns whether a string cannot be a name: names of modules, packages, directories, kernels and symbols are ASCII
     * without blanks.
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

    void expected(Node node, String key, String allowed) {
        problems.add(Place.of(node), "'" + key + "' takes " + allowed + ", not " + kind(node));
    }

    /** Describes a node for messages. */
    static String kind(Node node) {
        if (isNothing(node)) {
            return "nothing";
        }
        return node instanceof ScalarNode scalar
                ? "'" + scalar.getValue() + "'"
                : node instanceof SequenceNode ? "a list" : "keys and values";
    }

    /** Returns a word, number or text as written; null if the node is anything else or empty. */
    static @Nullable String scalar(@Nullable Node node) {
        return node instanceof ScalarNode scalar && !isNothing(scalar) ? scalar.getValue() : null;
    }

    /** Returns whether a node is null, which unquoted null and ~ mean. */
    static boolean isNothing(Node node) {
        return node.getTag().equals(Tag.NULL);
    }
}
