package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.yaml.Problems.TextPlace;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.sys.Similar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** The values of a mapping, by key. Unknown and repeated keys and unusable values have already been reported. */
final class RuleSection {
    private final Problems problems;
    private final TextPlace start;
    private final Map<String, ReadValue> entries = new HashMap<>();
    private boolean complete = true;

    private RuleSection(Problems problems, TextPlace start) {
        this.problems = problems;
        this.start = start;
    }

    static RuleSection of(Node node, String what, List<RuleKey<?>> known, Problems problems) {
        RuleSection section = new RuleSection(problems, TextPlace.of(node));
        if (!(node instanceof MappingNode mapping)) {
            section.complete = false;
            section.problem(what + " takes keys and values, not " + Values.kind(node));
            return section;
        }
        for (NodeTuple tuple : mapping.getValue()) {
            String name = ((ScalarNode) tuple.getKeyNode()).getValue();
            TextPlace at = TextPlace.of(tuple.getKeyNode());
            RuleKey<?> key = RuleKey.named(name, known);
            if (key == null) {
                section.complete = false;
                problems.add(at, unknown(name, what, known));
            } else {
                section.put(key, at, tuple.getValueNode());
            }
        }
        return section;
    }

    private static String unknown(String name, String what, List<RuleKey<?>> known) {
        List<String> names = known.stream().map(RuleKey::name).toList();
        String suggestion = Similar.nearest(name, names);
        return "there is no '"
                + name
                + "' in "
                + what
                + (suggestion.isEmpty() ? "; the keys are " + String.join(", ", names) : suggestion);
    }

    private void put(RuleKey<?> key, TextPlace at, Node value) {
        ReadValue earlier = entries.get(key.name());
        if (earlier == null) {
            Object read = key.reader().read(value, key.name(), problems);
            entries.put(key.name(), new ReadValue(at, problems.origin(at), read));
        } else {
            problems.add(
                    at,
                    "'" + key.name() + "' is already in line " + earlier.at().line() + "; remove one");
        }
    }

    /** Returns the value of a key; null if the key is missing, or if its value was unusable and reported. */
    @SuppressWarnings("unchecked") // The value was read by a key of this name.
    <T> @Nullable T get(RuleKey<T> key) {
        ReadValue entry = entries.get(key.name());
        return entry == null ? null : (T) entry.value();
    }

    <T> T get(RuleKey<T> key, T otherwise) {
        T value = get(key);
        return value == null ? otherwise : value;
    }

    <T> List<T> list(RuleKey<List<T>> key) {
        return get(key, List.of());
    }

    <T> @Nullable Attributed<T> attributed(RuleKey<T> key) {
        ReadValue entry = entries.get(key.name());
        T value = get(key);
        return entry == null || value == null ? null : new Attributed<>(value, entry.origin());
    }

    <T> Attributed<T> attributed(RuleKey<T> key, Attributed<T> otherwise) {
        Attributed<T> value = attributed(key);
        return value == null ? otherwise : value;
    }

    boolean has(RuleKey<?> key) {
        return entries.containsKey(key.name());
    }

    /**
     * Returns whether all of the keys are missing. Returns false if a reported problem may be the reason why a key is
     * missing.
     */
    boolean lacks(RuleKey<?>... keys) {
        for (RuleKey<?> key : keys) {
            if (has(key)) {
                return false;
            }
        }
        return complete;
    }

    void inherit(RuleSection earlier) {
        earlier.entries.forEach(entries::putIfAbsent);
    }

    RuleOrigin origin() {
        return problems.origin(start);
    }

    TextPlace start() {
        return start;
    }

    void problem(String message) {
        problems.add(start, message);
    }

    void problem(RuleKey<?> key, String message) {
        ReadValue entry = entries.get(key.name());
        problems.add(entry == null ? start : entry.at(), message);
    }

    RuleProblem lateProblem(String message) {
        return new RuleProblem(origin().file(), start.line(), start.column(), message);
    }

    private record ReadValue(
            TextPlace at, RuleOrigin origin, @Nullable Object value) {}

    record RuleKey<T>(String name, ValueReader<T> reader) {
        static @Nullable RuleKey<?> named(String name, List<RuleKey<?>> keys) {
            for (RuleKey<?> key : keys) {
                if (key.name().equals(name)) {
                    return key;
                }
            }
            return null;
        }
    }

    interface ValueReader<T> {
        /**
         * Reads the value of a key. If the value is unusable, reports a problem, and returns null or only the usable
         * part.
         */
        @Nullable
        T read(Node node, String key, Problems problems);
    }
}
