package dev.weaklink.report;

import dev.weaklink.history.NodeHistory;
import dev.weaklink.history.NodeHistory.Moment;
import dev.weaklink.history.NodeHistory.Span;
import dev.weaklink.history.RecordedRun;
import dev.weaklink.history.RunDetails;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
    List<Map<String, Object>> audits = new ArrayList<>();
    for (RecordedRun run : runs) {
      audits.add(audit(run));
    }
    return new KeptRecords(null, List.of(new Entries("audits", "audit", audits)));
  }

  static KeptRecords run(RunDetails run) {
    List<Map<String, Object>> kernels = new ArrayList<>();
    for (RunDetails.AskedKernel kernel : run.kernels()) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("label", kernel.label());
      values.put("safe", kernel.safe());
      values.put("unsafe", kernel.unsafe());
      values.put("unknown", kernel.unknown());
      kernels.add(values);
    }
    List<Map<String, Object>> groups = new ArrayList<>();
    for (RunDetails.KeptGroup group : run.groups()) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("kernel", group.kernel());
      values.put("digest", group.digest());
      values.put("nodes", group.nodes());
      values.put("count", group.count());
      groups.add(values);
    }
    return new KeptRecords(
        new Entry("audit", audit(run.run())),
        List.of(
            new Entries("kernels", "kernel", kernels),
            new Entries("groups", "group", groups),
            new Entries("changes", "change", changes(run.changes()))));
  }

  private static List<Map<String, Object>> changes(List<RunDetails.Change> all) {
    List<Map<String, Object>> changes = new ArrayList<>();
    for (RunDetails.Change change : all) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("change", change.appeared() ? "new" : "gone");
      values.put("what", change.what());
      values.put("nodes", change.nodes().folded());
      values.put("count", change.nodes().count());
      changes.add(values);
    }
    return changes;
  }

  static KeptRecords node(NodeHistory node) {
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("name", node.name());
    put(head, "first", node.first());
    put(head, "last", node.last());
    List<Map<String, Object>> spans = new ArrayList<>();
    for (Span span : node.spans()) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("about", span.kind() == NodeHistory.Kind.FAULT ? "fault" : "modules");
      values.put("what", span.what());
      put(values, "since", span.since());
      put(values, "until", span.until());
      spans.add(values);
    }
    return new KeptRecords(new Entry("node", head), List.of(new Entries("spans", "span", spans)));
  }

  private static Map<String, Object> audit(RecordedRun run) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("id", run.id());
    values.put("at", run.at().toString());
    values.put("nodes", run.nodes());
    values.put("changed", run.changed());
    values.put("broken", run.broken());
    values.put("problems", run.problems());
    return values;
  }

  /** The time and the number of an audit; nothing if there was none. */
  private static void put(Map<String, Object> values, String key, @Nullable Moment moment) {
    if (moment != null) {
      values.put(key, moment.at().toString());
      values.put(key + "Audit", moment.run());
    }
  }
}
