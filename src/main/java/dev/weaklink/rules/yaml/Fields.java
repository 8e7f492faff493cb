package dev.weaklink.rules.yaml;

import dev.weaklink.rules.yaml.Problems.Place;
import dev.weaklink.sys.Similar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** The values of a mapping's keys; unknown and repeated keys have already been reported. */
final class Fields {
    /** A key, its place, and its value. */
    record Entry(String key, Place at, Node value) {
        /** Returns all entries in the order of the file; a key may occur twice. */
        static List<Entry> of(MappingNode mapping) {
            List<Entry> entries = new ArrayList<>();
            for (NodeTuple tuple : mapping.getValue()) {
                String key = ((ScalarNode) tuple.getKeyNode()).getValue();
                entries.add(new Entry(key, Place.of(tuple.getKeyNode()), tuple.getValueNode()));
            }
            return entries;
        }
    }

    private final Map<String, Entry> entries = new HashMap<>();
    private boolean complete = true;

    private Fields() {}

    /** Reads a mapping with the known keys; the result has no keys if the node is not a mapping. */
    static Fields of(Node node, String what, List<String> known, Problems problems) {
        Fields fields = new Fields();
        if (!(node instanceof MappingNode mapping)) {
            problems.add(Place.of(node), what + " takes keys and values, not " + Values.kind(node));
            fields.complete = false;
            return fields;
        }
        for (Entry entry : Entry.of(mapping)) {
            if (known.contains(entry.key())) {
                fields.put(entry, problems);
            } else {
                fields.complete = false;
                problems.add(entry.at(), unknown(entry.key(), what, known));
            }
        }
        return fields;
    }

    private static String unknown(String key, String what, List<String> known) {
        String suggestion = Similar.nearest(key, known);
        return "there is no '"
                + key
                + "' in "
                + what
                + (suggestion.isEmpty() ? "; it knows " + String.join(", ", known) : suggestion);
    }

    private void put(Entry entry, Problems problems) {
        Entry earlier = entries.putIfAbsent(entry.key(), entry);
        if (earlier != null) {
            problems.add(
                    entry.at(),
                    "'" + entry.key() + "' is already in line " + earlier.at().line() + "; remove one");
        }
    }

    /** Returns the value of a key, null if the key is missing. */
    @Nullable
    Node get(String key) {
        Entry entry = entries.get(key);
        return entry == null ? null : entry.value();
    }

    /** Returns the place of a key; {@link Place#WHOLE} if the key is missing. */
    Place at(String key) {
        Entry entry = entries.get(key);
        return entry == null ? Place.WHOLE : entry.at();
    }

    /** Returns whether all of the keys are missing, unless a reported problem may be the reason. */
    boolean lacks(String... keys) {
        for (String key : keys) {
            if (entries.containsKey(key)) {
                return false;
            }
        }
        return complete;
    }
}
