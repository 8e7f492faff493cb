package dev.weaklink.history;

import dev.weaklink.audit.Nodes;
import dev.weaklink.history.RunDetails.AskedKernel;
import dev.weaklink.history.RunDetails.Change;
import dev.weaklink.history.RunDetails.KeptGroup;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads what was kept. */
public final class HistoryReader {
  private static final String RUNS =
      "SELECT r.id, r.at, r.nodes, r.broken, r.problems,"
          + " (SELECT count(DISTINCT node) FROM holdings h WHERE h.since = r.id"
          + " AND instr(h.digest, '/') = 0)"
          + " FROM runs r";

  /** Nodes and what they have or what is wrong with them. */
  private static final String MODULES =
      "SELECT n.name, 'modules of ' || h.kernel || ': ' || substr(h.digest, 1, 12)"
          + " FROM holdings h JOIN nodes n ON n.id = h.node WHERE ";

  private static final String RUNNING =
      " UNION ALL SELECT n.name, r.module || ': ' || r.what"
          + " FROM running r JOIN nodes n ON n.id = r.node WHERE ";
  private static final String FAULTS =
      " UNION ALL SELECT n.name, f.module"
          + " || CASE f.target WHEN '' THEN '' ELSE ' on ' || f.target END || ': ' || f.what"
          + " FROM faults f JOIN holdings h ON h.digest = f.digest"
          + " JOIN nodes n ON n.id = h.node WHERE ";

  private static final String APPEARED =
      MODULES
          + "h.since = ?1 AND instr(h.digest, '/') = 0"
          + RUNNING
          + "r.since = ?1"
          + FAULTS
          + "max(h.since, f.since) = ?1 AND ifnull(h.until, ?1 + 1) > ?1"
          + " AND ifnull(f.until, ?1 + 1) > ?1";
  private static final String WENT =
      MODULES
          + "h.until = ?1 AND instr(h.digest, '/') = 0"
          + RUNNING
          + "r.until = ?1"
          + FAULTS
          + "min(ifnull(h.until, ?1 + 1), ifnull(f.until, ?1 + 1)) = ?1"
          + " AND max(h.since, f.since) < ?1";

  private HistoryReader() {}

  /** All audits, the latest first. */
  public static List<RecordedRun> runs(HistoryDatabase database) throws IOException {
    return database.read(
        connection -> rows(connection, RUNS + " ORDER BY r.id DESC", HistoryReader::run));
  }

  /** One audit, null if there is none of this number. */
  public static @Nullable RunDetails run(HistoryDatabase database, long id) throws IOException {
    Optional<RunDetails> found = database.read(connection -> find(connection, id));
    return found.orElse(null);
  }

  private static Optional<RunDetails> find(Connection connection, long id) throws SQLException {
    List<RecordedRun> runs = rows(connection, RUNS + " WHERE r.id = ?1", HistoryReader::run, id);
    return runs.isEmpty() ? Optional.empty() : Optional.of(details(connection, runs.get(0)));
  }

  private static RunDetails details(Connection connection, RecordedRun run) throws SQLException {
    List<AskedKernel> kernels =
        rows(
            connection,
            "SELECT label, safe, unsafe, unknown FROM kernels WHERE run = ?1 ORDER BY place",
            row ->
                new AskedKernel(
                    row.getString(1), row.getInt(2) != 0, row.getString(3), row.getString(4)),
            run.id());
    List<KeptGroup> groups =
        rows(
            connection,
            "SELECT kernel, digest, nodes, count FROM groups WHERE run = ?1 ORDER BY place",
            row ->
                new KeptGroup(row.getString(1), row.getString(2), row.getString(3), row.getInt(4)),
            run.id());
    return new RunDetails(run, kernels, groups, changes(connection, run.id()));
  }

  /** What a node lost with one set and got with the next one did not change. */
  private static List<Change> changes(Connection connection, long run) throws SQLException {
    Map<String, Set<String>> appeared = nodes(connection, APPEARED, run);
    Map<String, Set<String>> went = nodes(connection, WENT, run);
    for (Map.Entry<String, Set<String>> entry : appeared.entrySet()) {
      Set<String> lost = went.getOrDefault(entry.getKey(), Set.of());
      Set<String> kept = new HashSet<>(entry.getValue());
      kept.retainAll(lost);
      entry.getValue().removeAll(kept);
      if (!kept.isEmpty()) {
        lost.removeAll(kept);
      }
    }
    List<Change> changes = new ArrayList<>();
    add(appeared, true, changes);
    add(went, false, changes);
    return changes;
  }

  private static Map<String, Set<String>> nodes(Connection connection, String sql, long run)
      throws SQLException {
    Map<String, Set<String>> nodes = new TreeMap<>();
    rows(
        connection,
        sql,
        row ->
            nodes.computeIfAbsent(row.getString(2), key -> new TreeSet<>()).add(row.getString(1)),
        run);
    return nodes;
  }

  private static void add(Map<String, Set<String>> nodes, boolean appeared, List<Change> changes) {
    nodes.forEach(
        (what, names) -> {
          if (!names.isEmpty()) {
            changes.add(new Change(appeared, what, Nodes.of(names)));
          }
        });
  }

  /** One node, null if no audit had one of this name. */
  public static @Nullable NodeHistory node(HistoryDatabase database, String name)
      throws IOException {
    Optional<NodeHistory> found =
        database.read(connection -> Optional.ofNullable(new NodeReader(connection).read(name)));
    return found.orElse(null);
  }

  private static RecordedRun run(ResultSet rows) throws SQLException {
    return new RecordedRun(
        rows.getLong(1),
        Instant.ofEpochSecond(rows.getLong(2)),
        rows.getInt(3),
        rows.getInt(4),
        rows.getInt(5),
        rows.getInt(6));
  }

  /** Makes something of a row. */
  interface Row<T> {
    T of(ResultSet row) throws SQLException;
  }

  static <T> List<T> rows(Connection connection, String sql, Row<T> maker, Object... values)
      throws SQLException {
    List<T> made = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          made.add(maker.of(rows));
        }
      }
    }
    return made;
  }
}
