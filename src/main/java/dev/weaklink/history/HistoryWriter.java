package dev.weaklink.history;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.AuditedSet;
import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.AuditReport.KernelSafety;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.AuditReport.Target;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.NodeDefect;
import dev.weaklink.intake.NodePolicy;
import dev.weaklink.load.Outcome;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds an audit to a database. */
public final class HistoryWriter {
  private final Connection connection;
  private final AuditReport report;

  private HistoryWriter(Connection connection, AuditReport report) {
    this.connection = connection;
    this.report = report;
  }

  /**
   * Adds an audit as the latest one, in one transaction.
   *
   * @param at when the nodes were asked; seconds count
   * @return its number
   * @throws IOException if it cannot be written; nothing of it is then
   */
  public static long record(HistoryDatabase database, AuditReport report, Instant at)
      throws IOException {
    return database.write(
        connection -> new HistoryWriter(connection, report).record(at.getEpochSecond()));
  }

  private long record(long at) throws SQLException {
    HistoryDatabase.addIds(connection);
    for (String statement : HistorySchema.statements("work")) {
      HistoryDatabase.execute(connection, statement);
    }
    insert(
        "INSERT INTO runs (at, nodes, broken, problems) VALUES (?1, ?2, ?3, ?4)",
        at,
        report.nodes(),
        report.broken().size(),
        report.problems());
    long run = HistoryDatabase.number(connection, "SELECT last_insert_rowid()");
    addKernels(run);
    addGroups(run);
    addFaults();
    addRunning();
    for (String step : HistorySchema.statements("renew")) {
      HistoryDatabase.execute(connection, step);
    }
    for (String step : HistorySchema.statements("merge")) {
      insert(step, run);
    }
    return run;
  }

  private void addKernels(long run) throws SQLException {
    for (KernelSafety kernel : report.kernels()) {
      Target target = report.targets().get(kernel.target());
      insert(
          "INSERT INTO kernels VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
          run,
          target.id(),
          target.label(),
          kernel.safe() ? 1 : 0,
          kernel.unsafe().folded(),
          kernel.unknown().folded());
    }
    for (Target target : report.targets()) {
      insert("INSERT OR IGNORE INTO now_targets VALUES (?1)", target.label());
    }
  }

  private void addGroups(long run) throws SQLException {
    int place = 0;
    for (Group group : report.groups()) {
      AuditedSet set = report.sets().get(group.set());
      String digest = set.digest();
      insert(
          "INSERT INTO groups VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
          run,
          place++,
          group.kernel(),
          digest,
          group.nodes().folded(),
          group.nodes().count());
      insert("INSERT OR IGNORE INTO now_sets VALUES (?1)", digest);
      for (NodePolicy policy : NodePolicy.values()) {
        insert("INSERT OR IGNORE INTO now_sets VALUES (?1)", with(digest, policy));
      }
      addHoldings(group.nodes().names(), group.kernel(), digest);
      if (set.policy() != null) {
        addHoldings(group.nodes().names(), group.kernel(), with(digest, set.policy()));
      }
    }
  }

  /** What is wrong with a set by one policy only is kept apart from what always is. */
  private static String with(String digest, @Nullable NodePolicy policy) {
    return policy == null ? digest : digest + HistorySchema.POLICY + policy.id();
  }

  private void addHoldings(List<String> names, String kernel, String digest) throws SQLException {
    try (PreparedStatement node =
            connection.prepareStatement("INSERT OR IGNORE INTO now_nodes VALUES (?1)");
        PreparedStatement holding =
            connection.prepareStatement("INSERT OR IGNORE INTO now_holdings VALUES (?1, ?2, ?3)")) {
      for (String name : names) {
        execute(node, name);
        execute(holding, name, kernel, digest);
      }
    }
  }

  private void addFaults() throws SQLException {
    for (Group group : report.groups()) {
      String digest = report.sets().get(group.set()).digest();
      for (Defect defect : group.defects()) {
        addFault(digest, "", defect.subject(), defect.id(), words(defect));
      }
    }
    for (SetVerdict verdict : report.verdicts()) {
      AuditedSet set = report.sets().get(verdict.set());
      String digest = with(set.digest(), set.policy());
      String target = report.targets().get(verdict.target()).label();
      for (ModuleVerdict module : verdict.modules()) {
        if (module.outcome() == Outcome.INCOMPATIBLE) {
          addFault(digest, target, module.module(), id(module), words(module));
        }
      }
    }
  }

  private void addFault(String digest, String target, String module, String id, String what)
      throws SQLException {
    insert(
        "INSERT OR IGNORE INTO now_faults VALUES (?1, ?2, ?3, ?4, ?5)",
        digest,
        target,
        module,
        id,
        what);
  }

  private void addRunning() throws SQLException {
    for (String name : report.libraries().known().names()) {
      insert("INSERT OR IGNORE INTO now_checked VALUES (?1)", name);
    }
    for (NodeDefect one : report.nodeFailures()) {
      Defect defect = one.defect();
      for (String name : one.nodes().names()) {
        insert(
            "INSERT OR IGNORE INTO now_running VALUES (?1, ?2, ?3, ?4, ?5)",
            name,
            one.kernel(),
            defect.subject(),
            defect.id(),
            words(defect));
      }
    }
  }

  /** By the first reason, and the symbol it is about. */
  private static String id(ModuleVerdict module) {
    if (module.findings().isEmpty()) {
      return "";
    }
    Finding first = module.findings().get(0);
    String kind = first.id() == null ? first.layer() : first.id();
    return first.symbol() == null ? kind : kind + " " + first.symbol();
  }

  private static String words(Defect defect) {
    return defect.kind().meaning() + ": " + defect.detail();
  }

  private static String words(ModuleVerdict module) {
    List<Finding> findings = module.findings();
    String reason = findings.isEmpty() ? "is refused" : findings.get(0).text();
    return module.errno() == null ? reason : reason + "; loading fails with " + module.errno();
  }

  private void insert(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      execute(statement, values);
    }
  }

  private static void execute(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    statement.executeUpdate();
  }
}
