package dev.weaklink.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.AuditedSet;
import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.NodeDefect;
import dev.weaklink.audit.Nodes;
import dev.weaklink.audit.SetStatus;
import dev.weaklink.history.NodeHistory.Span;
import dev.weaklink.load.Outcome;
import dev.weaklink.testing.AuditReports;
import dev.weaklink.testing.Records;
import dev.weaklink.userspace.UserspaceFinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which node had what from when to when, and since when a module is broken. */
class HistoryTest {
  private static final String OLD = "6.1.0-54";
  private static final String NEW = "6.1.0-56";
  private static final Defect GONE = new Defect(Defect.Kind.DANGLING_LINK, "knem", "/x/knem.ko");
  private static final ModuleVerdict REFUSED =
      new ModuleVerdict(
          "mlx5_core",
          Outcome.INCOMPATIBLE,
          "EINVAL",
          List.of(
              new Finding(
                  "symbol-crc",
                  "symbol.crc-mismatch",
                  "f",
                  null,
                  null,
                  "disagrees about version of symbol f",
                  null)),
          0);

  @TempDir Path directory;
  private long hour;

  @Test
  void aNodesModulesAreKeptFromWhenToWhen() throws IOException {
    keep(audit().group(0, nodes("cn1", "cn2"), 2));
    keep(audit().group(0, nodes("cn1", "cn2"), 2));
    keep(audit().group(0, nodes("cn1"), 1).group(1, nodes("cn2"), 1));
    assertThat(spans("cn1")).containsExactly("6.1.0-54: modules 000000000000 1..");
    assertThat(spans("cn2"))
        .containsExactly(
            "6.1.0-54: modules 100000000000 3..", "6.1.0-54: modules 000000000000 1..3");
    try (HistoryDatabase database = open()) {
      assertThat(HistoryReader.runs(database))
          .extracting(RecordedRun::id, RecordedRun::nodes, RecordedRun::changed)
          .containsExactly(tuple(3L, 2, 1), tuple(2L, 2, 0), tuple(1L, 2, 2));
    }
  }

  @Test
  void itIsToldSinceWhenAModuleIsBrokenAndUntilWhenItWas() throws IOException {
    keep(audit().group(0, nodes("cn1"), 1));
    keep(audit().group(0, nodes("cn1"), 1, GONE));
    keep(audit().group(0, nodes("cn1"), 1, GONE));
    keep(audit().group(0, nodes("cn1"), 1));
    assertThat(spans("cn1"))
        .containsExactly(
            "knem: the link is dangling: /x/knem.ko 2..4", "6.1.0-54: modules 000000000000 1..");
  }

  @Test
  void aNodeHasWhatIsWrongWithASetOnlyWhileItHasTheSet() throws IOException {
    keep(audit().group(0, nodes("cn1"), 1, GONE).group(1, nodes("cn2"), 1));
    keep(audit().group(0, nodes("cn1", "cn2"), 2, GONE));
    keep(audit().group(0, nodes("cn1"), 1, GONE).group(1, nodes("cn2"), 1));
    assertThat(spans("cn2"))
        .contains("knem: the link is dangling: /x/knem.ko 2..3")
        .doesNotContain("knem: the link is dangling: /x/knem.ko 1..");
    assertThat(spans("cn1")).contains("knem: the link is dangling: /x/knem.ko 1..");
  }

  @Test
  void aRefusalLastsUntilTheSameKernelIsAskedAbout() throws IOException {
    AuditReports refused = audit().target(NEW).group(0, nodes("cn1"), 1);
    keep(refused.refused(0, 0, SetStatus.BLOCKED, REFUSED).kernel(0, nodes("cn1"), Nodes.NONE));
    keep(audit().target(OLD).group(0, nodes("cn1"), 1).verdict(0, 0, SetStatus.FINE));
    String what =
        "mlx5_core on 6.1.0-56: disagrees about version of symbol f; loading fails with EINVAL 1..";
    assertThat(spans("cn1")).contains(what);
    keep(audit().target(NEW).group(0, nodes("cn1"), 1).verdict(0, 0, SetStatus.LINK));
    assertThat(spans("cn1")).contains(what + "3");
  }

  @Test
  void ofNodesThatWereNotAskedNothingChanges() throws IOException {
    Defect loaded = new Defect(Defect.Kind.LOADED_DIFFERS, "mlx5_core", "B is loaded");
    keep(audit().group(0, nodes("cn1", "cn2"), 2, GONE).running(OLD, loaded, nodes("cn1", "cn2")));
    keep(audit().group(1, nodes("cn2"), 1));
    assertThat(spans("cn1")).hasSize(3).allMatch(span -> span.endsWith(" 1.."));
    assertThat(spans("cn2"))
        .containsExactly(
            "6.1.0-54: modules 100000000000 2..",
            "6.1.0-54: modules 000000000000 1..2",
            "knem: the link is dangling: /x/knem.ko 1..2",
            "mlx5_core: " + loaded.kind().meaning() + ": B is loaded 1..2");
  }

  @Test
  void otherWordsForTheSameAreNothingNew() throws IOException {
    Defect before = new Defect(Defect.Kind.LOADED_DIFFERS, "mlx5_core", "B is loaded");
    Defect now = new Defect(Defect.Kind.LOADED_DIFFERS, "mlx5_core", "C is loaded");
    Defect other = new Defect(Defect.Kind.DANGLING_LINK, "knem", "/y/knem.ko");
    keep(refusing("old words").group(0, nodes("cn1"), 1, GONE).running(OLD, before, nodes("cn1")));
    keep(refusing("new words").group(0, nodes("cn1"), 1, other).running(OLD, now, nodes("cn1")));
    assertThat(spans("cn1"))
        .containsExactlyInAnyOrder(
            "knem: the link is dangling: /x/knem.ko 1..2",
            "knem: the link is dangling: /y/knem.ko 2..",
            "mlx5_core: " + now.kind().meaning() + ": C is loaded 1..",
            "mlx5_core on 6.1.0-56: new words; loading fails with EINVAL 1..",
            "6.1.0-54: modules 000000000000 1..");
  }

  private static AuditReports refusing(String words) {
    Finding finding =
        new Finding("symbol-crc", "symbol.crc-mismatch", "f", null, null, words, null);
    return audit()
        .target(NEW)
        .refused(
            0,
            0,
            SetStatus.BLOCKED,
            new ModuleVerdict("mlx5_core", Outcome.INCOMPATIBLE, "EINVAL", List.of(finding), 0));
  }

  @Test
  void aDatabaseWithoutIdsIsReadAndGoesOnAsOneWith() throws IOException, SQLException {
    Defect loaded = new Defect(Defect.Kind.LOADED_DIFFERS, "mlx5_core", "B is loaded");
    keep(audit().group(0, nodes("cn1"), 1, GONE).running(OLD, loaded, nodes("cn1")));
    takeIds();
    String gone = "knem: the link is dangling: /x/knem.ko 1..";
    String differs = "mlx5_core: " + loaded.kind().meaning() + ": B is loaded 1..";
    assertThat(spans("cn1")).contains(gone, differs);
    keep(audit().group(0, nodes("cn1"), 1, GONE).running(OLD, loaded, nodes("cn1")));
    assertThat(spans("cn1")).hasSize(3).contains(gone, differs);
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      ResultSet rows =
          statement.executeQuery(
              "SELECT (SELECT count(*) FROM faults), (SELECT count(*) FROM running)");
      assertThat(tuple(rows.getInt(1), rows.getInt(2))).isEqualTo(tuple(1, 1));
    }
    keep(audit().group(0, nodes("cn1"), 1));
    assertThat(spans("cn1")).hasSize(3).contains(gone + "3", differs + "3");
  }

  private Connection connection() throws SQLException {
    return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("db"));
  }

  /** What an older program made. */
  private void takeIds() throws SQLException {
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER TABLE faults DROP COLUMN id");
      statement.execute("ALTER TABLE running DROP COLUMN id");
      statement.execute("PRAGMA user_version = 1");
    }
  }

  @Test
  void librariesAreMendedOnlyWhereTheyWereLookedAt() throws IOException {
    NodeDefect fails =
        AuditReports.library(
            UserspaceFinding.Kind.SYMBOL_MISSING, "mlx5", "undefined", "", nodes("cn1", "cn2"));
    keep(audit().group(0, nodes("cn1", "cn2"), 2).libraries(nodes("cn1", "cn2"), fails));
    keep(audit().group(0, nodes("cn1", "cn2"), 2).libraries(nodes("cn2")));
    String words = "mlx5: " + fails.defect().kind().meaning() + ": undefined 1..";
    assertThat(spans("cn1")).contains(words);
    assertThat(spans("cn2")).contains(words + "2");
  }

  @Test
  void anAuditTellsWhatAppearedAndWhatWent() throws IOException {
    keep(audit().group(0, nodes("cn1", "cn2", "cn3"), 3));
    keep(audit().group(0, nodes("cn1", "cn2"), 2, GONE).group(1, nodes("cn3"), 1));
    keep(audit().group(0, nodes("cn1", "cn2"), 2).group(1, nodes("cn3"), 1));
    assertThat(changes(2))
        .containsExactly(
            "+knem: the link is dangling: /x/knem.ko cn[1-2]",
            "+modules of 6.1.0-54: 100000000000 cn3",
            "-modules of 6.1.0-54: 000000000000 cn3");
    assertThat(changes(3)).containsExactly("-knem: the link is dangling: /x/knem.ko cn[1-2]");
    try (HistoryDatabase database = open()) {
      assertThat(HistoryReader.run(database, 4)).isNull();
      assertThat(HistoryReader.node(database, "cn4")).isNull();
    }
  }

  @Test
  void aModuleStaysBrokenThoughOthersOfTheSetChange() throws IOException {
    keep(audit().group(0, nodes("cn1"), 1, GONE));
    keep(audit().group(1, nodes("cn1"), 1, GONE));
    keep(audit().group(0, nodes("cn1"), 1, GONE));
    keep(audit().group(0, nodes("cn1"), 1));
    assertThat(spans("cn1")).contains("knem: the link is dangling: /x/knem.ko 1..4");
    assertThat(changes(2)).noneMatch(change -> change.contains("knem"));
    assertThat(changes(4)).containsExactly("-knem: the link is dangling: /x/knem.ko cn1");
  }

  @Test
  void whatChangesNothingTakesUpNoRowsOfNodes() throws IOException {
    keep(AuditReports.full());
    long before = rows();
    keep(AuditReports.full());
    assertThat(rows()).isEqualTo(before).isPositive();
  }

  @Test
  void otherFilesAreLeftAlone() throws IOException {
    Path text = Files.writeString(directory.resolve("text"), "not a database, but of some length");
    assertThatThrownBy(() -> HistoryDatabase.openOrMake(text))
        .hasMessageEndingWith("not a database");
    assertThat(text).content().startsWith("not a database");
    Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> HistoryDatabase.openExisting(missing)).hasMessageContaining("no such");
    assertThat(missing).doesNotExist();
    Path other = directory.resolve("nowhere/x");
    assertThatThrownBy(() -> HistoryDatabase.openOrMake(other)).hasMessageContaining("directory");
  }

  @Test
  void aFileMayHaveAnyName() throws IOException {
    Path odd = directory.resolve("a b?mode=ro&x#%41'\"");
    HistoryDatabase.openOrMake(odd).close();
    assertThat(odd).exists();
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(odd);
    }
  }

  private static AuditReports audit() {
    return new AuditReports().nodes(2).set(OLD, null, "mlx5_core").set(OLD, null, "knem");
  }

  private static Nodes nodes(String... names) {
    return Nodes.of(List.of(names));
  }

  private void keep(AuditReports audit) throws IOException {
    AuditReport report = distinct(audit.build());
    try (HistoryDatabase database = HistoryDatabase.openOrMake(directory.resolve("db"))) {
      hour += 3600;
      assertThat(HistoryWriter.record(database, report, Instant.ofEpochSecond(hour)))
          .isEqualTo(hour / 3600);
    }
  }

  /** With digests that differ in their beginnings, which are what is shown. */
  private static AuditReport distinct(AuditReport report) {
    List<AuditedSet> sets = new ArrayList<>();
    for (AuditedSet set : report.sets()) {
      String digest = new StringBuilder(set.digest()).reverse().toString();
      sets.add(
          new AuditedSet(set.id(), digest, set.kernel(), null, null, set.modules(), null, null));
    }
    return Records.with(report, "sets", sets, "changes", null);
  }

  private HistoryDatabase open() throws IOException {
    return HistoryDatabase.openExisting(directory.resolve("db"));
  }

  /** Each as its words, and the numbers of audits it went from and to. */
  private List<String> spans(String node) throws IOException {
    try (HistoryDatabase database = open()) {
      NodeHistory history = HistoryReader.node(database, node);
      List<String> spans = new ArrayList<>();
      for (Span span : history == null ? List.<Span>of() : history.spans()) {
        assertThat(span.since().at().getEpochSecond()).isEqualTo(span.since().run() * 3600);
        String until = span.until() == null ? "" : "" + span.until().run();
        spans.add(span.what() + " " + span.since().run() + ".." + until);
      }
      return spans;
    }
  }

  private List<String> changes(long run) throws IOException {
    try (HistoryDatabase database = open()) {
      RunDetails details = HistoryReader.run(database, run);
      assertThat(details).isNotNull();
      List<String> changes = new ArrayList<>();
      for (RunDetails.Change change : details.changes()) {
        String sign = change.appeared() ? "+" : "-";
        changes.add(sign + change.what() + " " + change.nodes().folded());
      }
      return changes;
    }
  }

  private long rows() throws IOException {
    try (HistoryDatabase database = open()) {
      return database.read(
          connection ->
              HistoryDatabase.number(
                  connection,
                  "SELECT (SELECT count(*) FROM nodes) + (SELECT count(*) FROM holdings)"
                      + " + (SELECT count(*) FROM faults) + (SELECT count(*) FROM running)"));
    }
  }

  @Test
  void valuesThatCannotBeAreOneLine() throws IOException {
    keep(audit().group(0, nodes("cn1"), 1));
    try (HistoryDatabase database = open()) {
      database.write(
          connection -> {
            HistoryDatabase.execute(connection, "UPDATE runs SET at = " + Long.MAX_VALUE);
            return null;
          });
      assertThatThrownBy(() -> HistoryReader.runs(database))
          .isInstanceOf(IOException.class)
          .hasMessageEndingWith("has a name or a time that cannot be one");
    }
  }
}
