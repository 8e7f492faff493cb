package dev.weaklink.history;

import java.util.List;
import java.util.stream.Stream;

/**
 * The tables. What a node has and what is wrong is kept with the audit that found it first ({@code
 * since}) and the one that found it gone ({@code until}, null while it lasts). What is wrong with a
 * set of modules is kept once, for all nodes that have it. What is wrong is known again by its id,
 * of its kind and what it is about; its words may change.
 */
final class HistorySchema {
  /** Says in the file's header whose database it is: "wkla". */
  static final int APPLICATION = 0x776b6c61;

  static final int VERSION = 2;

  /** Had no ids: what is wrong was known again by its words alone. */
  static final int WITHOUT_IDS = 1;

  /** Makes the tables of {@link #WITHOUT_IDS} those of now. */
  static final List<String> ADD_IDS =
      List.of("ALTER TABLE faults ADD COLUMN id TEXT", "ALTER TABLE running ADD COLUMN id TEXT");

  /**
   * Between a set's digest and a policy about signatures: a node holds both the one without and, if
   * that made a difference, the one with it.
   */
  static final char POLICY = '/';

  /** What else a node holds because of its policy. */
  private static final String OF_POLICY = "instr(holdings.digest, '/') > 0";

  static final List<String> TABLES =
      List.of(
          "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,"
              + " nodes INTEGER NOT NULL, broken INTEGER NOT NULL, problems INTEGER NOT NULL)",
          "CREATE TABLE kernels (run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL,"
              + " label TEXT NOT NULL, safe INTEGER NOT NULL, unsafe TEXT NOT NULL,"
              + " unknown TEXT NOT NULL, PRIMARY KEY (run, place)) WITHOUT ROWID",
          "CREATE TABLE groups (run INTEGER NOT NULL REFERENCES runs, place INTEGER NOT NULL,"
              + " kernel TEXT NOT NULL, digest TEXT NOT NULL, nodes TEXT NOT NULL,"
              + " count INTEGER NOT NULL, PRIMARY KEY (run, place)) WITHOUT ROWID",
          "CREATE TABLE nodes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
              + " first INTEGER NOT NULL, last INTEGER NOT NULL)",
          "CREATE TABLE holdings (node INTEGER NOT NULL REFERENCES nodes, kernel TEXT NOT NULL,"
              + " digest TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER)",
          "CREATE INDEX holdings_of ON holdings (node, until)",
          "CREATE TABLE faults (digest TEXT NOT NULL, target TEXT NOT NULL, module TEXT NOT NULL,"
              + " what TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, id TEXT)",
          "CREATE INDEX faults_of ON faults (digest, until)",
          "CREATE TABLE running (node INTEGER NOT NULL REFERENCES nodes, kernel TEXT NOT NULL,"
              + " module TEXT NOT NULL, what TEXT NOT NULL, since INTEGER NOT NULL,"
              + " until INTEGER, id TEXT)",
          "CREATE INDEX running_of ON running (node, until)");

  /** What one audit found: temporary tables, which live as long as the connection. */
  static final List<String> WORK =
      List.of(
          "now_nodes (name TEXT PRIMARY KEY) WITHOUT ROWID",
          "now_sets (digest TEXT PRIMARY KEY) WITHOUT ROWID",
          "now_targets (label TEXT PRIMARY KEY) WITHOUT ROWID",
          "now_holdings (name TEXT, kernel TEXT, digest TEXT,"
              + " PRIMARY KEY (name, kernel, digest)) WITHOUT ROWID",
          "now_faults (digest TEXT, target TEXT, module TEXT, id TEXT,"
              + " what TEXT, PRIMARY KEY (digest, target, module, id)) WITHOUT ROWID",
          "now_checked (name TEXT PRIMARY KEY) WITHOUT ROWID",
          "now_running (name TEXT, kernel TEXT, module TEXT, id TEXT,"
              + " what TEXT, PRIMARY KEY (name, kernel, module, id)) WITHOUT ROWID");

  /** What was found now of a row that is open. */
  private static final String SAME_FAULT =
      " FROM now_faults n WHERE n.digest = faults.digest AND n.target = faults.target"
          + " AND n.module = faults.module";

  private static final String SAME_RUNNING =
      " FROM now_running n JOIN nodes o ON o.name = n.name WHERE o.id = running.node"
          + " AND n.kernel = running.kernel AND n.module = running.module";

  /** What has no id yet gets that of what has its words; then words become those of now. */
  private static List<String> renewed(String table, String same) {
    String words = same + " AND n.what = " + table + ".what";
    String other = same + " AND n.id = " + table + ".id";
    String open = " WHERE until IS NULL AND ";
    return List.of(
        "UPDATE "
            + table
            + " SET id = (SELECT n.id"
            + words
            + " LIMIT 1)"
            + open
            + "id IS NULL AND EXISTS (SELECT 1"
            + words
            + ")",
        "UPDATE "
            + table
            + " SET what = (SELECT n.what"
            + other
            + ")"
            + open
            + "EXISTS (SELECT 1"
            + other
            + " AND n.what <> "
            + table
            + ".what)");
  }

  /** Knows again what was wrong before. */
  static final List<String> RENEW =
      Stream.concat(
              renewed("faults", SAME_FAULT).stream(), renewed("running", SAME_RUNNING).stream())
          .toList();

  /** Brings the tables up to date with an audit, whose id is the parameter of each. */
  static final List<String> MERGE =
      List.of(
          "INSERT INTO nodes (name, first, last) SELECT name, ?1, ?1 FROM now_nodes WHERE true"
              + " ON CONFLICT (name) DO UPDATE SET last = ?1",
          "UPDATE holdings SET until = ?1 WHERE until IS NULL"
              + " AND node IN (SELECT id FROM nodes WHERE last = ?1)"
              + " AND NOT EXISTS (SELECT 1 FROM now_holdings n JOIN nodes o ON o.name = n.name"
              + " WHERE o.id = holdings.node AND n.kernel = holdings.kernel"
              + " AND n.digest = holdings.digest)"
              // an audit that finds no difference knows nothing of the policy
              + " AND NOT ("
              + OF_POLICY
              + " AND EXISTS (SELECT 1 FROM now_holdings n"
              + " JOIN nodes o ON o.name = n.name WHERE o.id = holdings.node"
              + " AND n.kernel = holdings.kernel"
              + " AND n.digest = substr(holdings.digest, 1, instr(holdings.digest, '/') - 1))"
              + " AND NOT EXISTS (SELECT 1 FROM now_holdings n"
              + " JOIN nodes o ON o.name = n.name WHERE o.id = holdings.node"
              + " AND n.kernel = holdings.kernel AND instr(n.digest, '/') > 0"
              + " AND substr(n.digest, 1, instr(n.digest, '/')) ="
              + " substr(holdings.digest, 1, instr(holdings.digest, '/'))))",
          "INSERT INTO holdings (node, kernel, digest, since)"
              + " SELECT o.id, n.kernel, n.digest, ?1 FROM now_holdings n"
              + " JOIN nodes o ON o.name = n.name"
              + " WHERE NOT EXISTS (SELECT 1 FROM holdings h WHERE h.node = o.id"
              + " AND h.until IS NULL AND h.kernel = n.kernel AND h.digest = n.digest)",
          "UPDATE faults SET until = ?1 WHERE until IS NULL"
              + " AND digest IN (SELECT digest FROM now_sets)"
              + " AND (target = '' OR target IN (SELECT label FROM now_targets))"
              + " AND NOT EXISTS (SELECT 1"
              + SAME_FAULT
              + " AND n.id = faults.id)",
          "INSERT INTO faults (digest, target, module, what, since, id)"
              + " SELECT n.digest, n.target, n.module, n.what, ?1, n.id FROM now_faults n"
              + " WHERE NOT EXISTS (SELECT 1 FROM faults f WHERE f.digest = n.digest"
              + " AND f.until IS NULL AND f.target = n.target AND f.module = n.module"
              + " AND f.id = n.id)",
          "UPDATE running SET until = ?1 WHERE until IS NULL"
              + " AND node IN (SELECT id FROM nodes WHERE last = ?1)"
              // libraries, which are of no kernel, are known of the nodes that report of them
              + " AND (kernel <> '' OR node IN (SELECT o.id FROM now_checked c"
              + " JOIN nodes o ON o.name = c.name))"
              + " AND NOT EXISTS (SELECT 1"
              + SAME_RUNNING
              + " AND n.id = running.id)",
          "INSERT INTO running (node, kernel, module, what, since, id)"
              + " SELECT o.id, n.kernel, n.module, n.what, ?1, n.id FROM now_running n"
              + " JOIN nodes o ON o.name = n.name"
              + " WHERE NOT EXISTS (SELECT 1 FROM running r WHERE r.node = o.id"
              + " AND r.until IS NULL AND r.kernel = n.kernel AND r.module = n.module"
              + " AND r.id = n.id)");

  private HistorySchema() {}
}
