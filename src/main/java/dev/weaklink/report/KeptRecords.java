package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.list;
import static dev.weaklink.json.JsonOutput.object;

import dev.weaklink.history.NodeHistory;
import dev.weaklink.history.NodeHistory.Moment;
import dev.weaklink.history.NodeHistory.Span;
import dev.weaklink.history.RecordedRun;
import dev.weaklink.history.RunDetails;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Audits that were kept, as records of named values: numbers, truths and texts, which are not
 * escaped. Times are UTC. Names and their order are a contract.
 *
 * @param head what it is about, null for a list of audits
 * @param lists what belongs to it
 */
record KeptRecords(@Nullable Entry head, List<Entries> lists) {
  /** One record, by the name of its kind. */
  record Entry(String kind, Map<String, Object> values) {}

  /**
   * Records of one kind.
   *
   * @param name of all of them together
   */
  record Entries(String name, String kind, List<Map<String, Object>> values) {}

  static KeptRecords log(List<RecordedRun> runs) {
    return new KeptRecords(
        null, List.of(new Entries("audits", "audit", list(runs, KeptRecords::audit))));
  }

  static KeptRecords run(RunDetails run) {
    return new KeptRecords(
        new Entry("audit", audit(run.run())),
        List.of(
            new Entries("kernels", "kernel", list(run.kernels(), KeptRecords::kernel)),
            new Entries("groups", "group", list(run.groups(), KeptRecords::group)),
            new Entries("changes", "change", list(run.changes(), KeptRecords::change))));
  }

  private static Map<String, Object> kernel(RunDetails.AskedKernel kernel) {
    return object(
        "label", kernel.label(),
        "safe", kernel.safe(),
        "unsafe", kernel.unsafe(),
        "unknown", kernel.unknown());
  }

  private static Map<String, Object> group(RunDetails.KeptGroup group) {
    return object(
        "kernel", group.kernel(),
        "digest", group.digest(),
        "nodes", group.nodes(),
        "count", group.count());
  }

  private static Map<String, Object> change(RunDetails.Change change) {
    return object(
        "change", change.appeared() ? "new" : "gone",
        "what", change.what(),
        "nodes", change.nodes().folded(),
        "count", change.nodes().count());
  }

  static KeptRecords node(NodeHistory node) {
    Map<String, Object> head = object("name", node.name());
    put(head, "first", node.first());
    put(head, "last", node.last());
    return new KeptRecords(
        new Entry("node", head),
        List.of(new Entries("spans", "span", list(node.spans(), KeptRecords::span))));
  }

  private static Map<String, Object> span(Span span) {
    String about = span.kind() == NodeHistory.Kind.FAULT ? "fault" : "modules";
    Map<String, Object> values = object("about", about, "what", span.what());
    put(values, "since", span.since());
    put(values, "until", span.until());
    return values;
  }

  private static Map<String, Object> audit(RecordedRun run) {
    return object(
        "id", run.id(),
        "at", run.at().toString(),
        "nodes", run.nodes(),
        "changed", run.changed(),
        "broken", run.broken(),
        "problems", run.problems());
  }

  /** The time and the number of an audit; nothing if there was none. */
  private static void put(Map<String, Object> values, String key, @Nullable Moment moment) {
    if (moment != null) {
      values.put(key, moment.at().toString());
      values.put(key + "Audit", moment.run());
    }
  }
}
