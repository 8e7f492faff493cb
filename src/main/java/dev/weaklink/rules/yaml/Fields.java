package dev.weaklink.rules.yaml;

import dev.weaklink.sys.Similar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of a mapping's keys, of which unknown and repeated ones have been complained about.
 */
final class Fields {
  private final Map<String, Node.Entry> entries = new HashMap<>();
  private boolean complete = true;

  private Fields() {}

  /**
   * Of a node that ought to be a mapping with some of these keys; of none if it is something else.
   */
  static Fields of(Node node, String what, List<String> known, Problems problems) {
    Fields fields = new Fields();
    if (!(node instanceof Node.Mapping mapping)) {
      if (!(node instanceof Node.Refused)) {
        problems.add(node.at(), what + " takes keys and values, not " + node.kind());
      }
      fields.complete = false;
      return fields;
    }
    for (Node.Entry entry : mapping.entries()) {
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

  private void put(Node.Entry entry, Problems problems) {
    Node.Entry earlier = entries.putIfAbsent(entry.key(), entry);
    if (earlier != null) {
      problems.add(
          entry.at(),
          "'" + entry.key() + "' is already in line " + earlier.at().line() + "; remove one");
    }
  }

  /** The value of a key, null if it is not there. */
  @Nullable Node get(String key) {
    Node.Entry entry = entries.get(key);
    return entry == null ? null : entry.value();
  }

  /** The place of a key that exists. */
  Place at(String key) {
    Node.Entry entry = entries.get(key);
    return entry == null ? Place.WHOLE : entry.at();
  }

  /**
   * Whether none of the keys is there, and not because of something that has been complained about.
   */
  boolean lacks(String... keys) {
    for (String key : keys) {
      if (entries.containsKey(key)) {
        return false;
      }
    }
    return complete;
  }
}
