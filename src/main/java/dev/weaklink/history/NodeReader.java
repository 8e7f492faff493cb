package dev.weaklink.history;

import dev.weaklink.history.NodeHistory.Kind;
import dev.weaklink.history.NodeHistory.Moment;
import dev.weaklink.history.NodeHistory.Span;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what is kept of one node. */
final class NodeReader {
  /** The latest first; of the same time, modules before what is wrong with them. */
  private static final Comparator<Span> ORDER =
      Comparator.comparing((Span span) -> -span.since().run())
          .thenComparing(Span::kind)
          .thenComparing(Span::what);

  /** What is wrong with a set is wrong with a node while it has the set. */
  private static final String FAULTS =
      "SELECT f.module || CASE f.target WHEN '' THEN '' ELSE ' on ' || f.target END"
          + " || ': ' || f.what, max(h.since, f.since),"
          + " CASE WHEN h.until IS NULL THEN f.until WHEN f.until IS NULL THEN h.until"
          + " ELSE min(h.until, f.until) END"
          + " FROM holdings h JOIN faults f ON f.digest = h.digest WHERE h.node = ?1"
          + " AND (h.until IS NULL OR f.since < h.until)"
          + " AND (f.until IS NULL OR h.since < f.until)";

  private static final String RUNNING =
      "SELECT module || ': ' || what, since, until FROM running WHERE node = ?1";

  private final Connection connection;
  private final Map<Long, Moment> moments = new HashMap<>();

  NodeReader(Connection connection) {
    this.connection = connection;
  }

  @Nullable NodeHistory read(String name) throws SQLException {
    List<long[]> found =
        HistoryReader.rows(
            connection,
            "SELECT id, first, last FROM nodes WHERE name = ?1",
            row -> new long[] {row.getLong(1), row.getLong(2), row.getLong(3)},
            name);
    if (found.isEmpty()) {
      return null;
    }
    HistoryReader.rows(
            connection,
            "SELECT id, at FROM runs",
            row -> new Moment(row.getLong(1), Instant.ofEpochSecond(row.getLong(2))))
        .forEach(moment -> moments.put(moment.run(), moment));
    long[] node = found.get(0);
    return new NodeHistory(name, moment(node[1]), moment(node[2]), spans(node[0]));
  }

  private List<Span> spans(long node) throws SQLException {
    List<Span> spans =
        HistoryReader.rows(
            connection,
            "SELECT kernel || ': modules ' || substr(digest, 1, 12), since, until"
                + " FROM holdings WHERE node = ?1 AND instr(digest, '/') = 0",
            row -> span(Kind.MODULES, row),
            node);
    for (String faults : List.of(FAULTS, RUNNING)) {
      spans.addAll(HistoryReader.rows(connection, faults, row -> span(Kind.FAULT, row), node));
    }
    spans.sort(ORDER);
    return joined(spans);
  }

  /** What was still wrong with the next set of modules is one span; the latest come first. */
  private static List<Span> joined(List<Span> spans) {
    Map<String, Integer> begins = new HashMap<>();
    List<Span> joined = new ArrayList<>();
    for (Span span : spans) {
      Moment until = span.until();
      Integer later =
          until != null && span.kind() == Kind.FAULT ? begins.get(key(span, until)) : null;
      int place = later == null ? joined.size() : later;
      if (later == null) {
        joined.add(span);
      } else {
        Span next = joined.get(place);
        joined.set(place, new Span(span.kind(), span.what(), span.since(), next.until()));
      }
      begins.put(key(span, span.since()), place);
    }
    joined.sort(ORDER);
    return joined;
  }

  private static String key(Span span, Moment begin) {
    return begin.run() + " " + span.kind() + " " + span.what();
  }

  private Span span(Kind kind, ResultSet rows) throws SQLException {
    long until = rows.getLong(3);
    return new Span(
        kind, rows.getString(1), moment(rows.getLong(2)), until == 0 ? null : moment(until));
  }

  private Moment moment(long run) {
    return Objects.requireNonNullElseGet(moments.get(run), () -> new Moment(run, Instant.EPOCH));
  }
}
