package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.testing.NodeLines;
import dev.weaklink.testing.SymversBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Audits that are kept, from the command line. */
class AuditHistoryTest {
  private static final String KERNEL = "5.14.0-503";

  @TempDir Path directory;

  private WholeRun audit(NodeLines node, String... options) {
    String[] words = new String[options.length + 2];
    words[0] = "audit";
    words[1] = "-";
    System.arraycopy(options, 0, words, 2, options.length);
    byte[] told = ("cn1: " + node.line(null) + "\n").getBytes(StandardCharsets.UTF_8);
    return WholeRun.reading(told, words);
  }

  private WholeRun ask(String... words) {
    return WholeRun.reading(new byte[0], words);
  }

  @Test
  void sinceWhenANodeIsBrokenIsTold() {
    String db = directory.resolve("audits.db").toString();
    NodeLines good = new NodeLines(KERNEL).module(KERNEL, "mlx5_core", "A");
    NodeLines bad =
        new NodeLines(KERNEL).module(KERNEL, "mlx5_core", "A").danglingLink(KERNEL, "x");
    WholeRun plain = audit(good);
    WholeRun kept = audit(good, "--db", db, "--at", "2026-11-20T10:00:00Z");
    assertThat(kept.out()).isEqualTo(plain.out()).doesNotContain("2026");
    assertThat(kept.status()).isZero();
    assertThat(audit(bad, "--db", db, "--at", "2026-11-21T12:00:00+01:00").status()).isEqualTo(1);

    assertThat(ask("audit", "log", "--db", db).out())
        .isEqualTo(
            """
            AUDIT  TIME                  NODES  CHANGED  BROKEN
            2      2026-11-21T11:00:00Z  1      1        1
            1      2026-11-20T10:00:00Z  1      1        0
            """);
    assertThat(ask("audit", "show", "--db", db, "cn1").out().replaceAll("[0-9a-f]{12}", "digest"))
        .isEqualTo(
            """
            cn1: first in audit 1 (2026-11-20T10:00:00Z), last in audit 2 (2026-11-21T11:00:00Z)

            SINCE                     UNTIL                     WHAT
            2026-11-21T11:00:00Z (2)  -                         5.14.0-503: modules digest
            2026-11-21T11:00:00Z (2)  -                         broken: x: the link is dangling: /lib/modules/5.14.0-503/weak-updates/x.ko
            2026-11-20T10:00:00Z (1)  2026-11-21T11:00:00Z (2)  5.14.0-503: modules digest
            """);
    assertThat(ask("audit", "show", "--db", db, "2").out())
        .contains("audit 2, 2026-11-21T11:00:00Z: 1 node, 1 broken")
        .contains("+ x: the link is dangling");
  }

  @Test
  void theDatabasesDriverIsLoadedOnlyIfItIsAskedFor() throws Exception {
    assertThat(loaded("audit", directory.toString())).doesNotContain("org.sqlite.");
    String db = directory.resolve("audits.db").toString();
    assertThat(loaded("audit", directory.toString(), "--db", db)).contains("org.sqlite.");
  }

  /** The classes that a process of its own loads. */
  private static String loaded(String... words) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-verbose:class", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(Main.class.getName());
    command.addAll(List.of(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return out;
  }

  @Test
  void whatCannotBeKeptOrShownIsSaid() throws Exception {
    NodeLines good = new NodeLines(KERNEL);
    Path text =
        Files.writeString(directory.resolve("text"), "some text that is not a database at all");
    WholeRun run = audit(good, "--db", text.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("the audit was not kept: " + text + ": is not a database");
    assertThat(run.out()).contains("1 node");
    assertThat(audit(good, "--at", "2026-11-20T10:00:00Z").status()).isEqualTo(2);
    assertThat(audit(good, "--db", "x", "--at", "yesterday").err())
        .contains("takes a time such as");
    assertThat(ask("audit", "log", "--db", directory.resolve("none").toString()).status())
        .isEqualTo(2);
    assertThat(ask("audit", "log").err()).contains("name the database with --db FILE");
    assertThat(ask("audit", "show", "--db", "x").status()).isEqualTo(2);
  }

  @Test
  void whatWasKeptCanBeHadInOtherForms() throws Exception {
    String db = directory.resolve("audits.db").toString();
    NodeLines bad = new NodeLines(KERNEL).danglingLink(KERNEL, "x,y");
    audit(bad, "--db", db, "--at", "2026-11-20T10:00:00Z");
    audit(new NodeLines(KERNEL), "--db", db, "--at", "2026-11-21T10:00:00Z");

    assertThat(ask("audit", "log", "--db", db, "--format", "json").out())
        .isEqualTo(
            """
            {"schema":"weaklink.kept/1","audits":[{"id":2,"at":"2026-11-21T10:00:00Z","nodes":1,"changed":1,"broken":0,"problems":0},{"id":1,"at":"2026-11-20T10:00:00Z","nodes":1,"changed":1,"broken":1,"problems":0}]}
            """);
    assertThat(ask("audit", "log", "--db", db, "--format", "csv").out())
        .isEqualTo(
            "record,id,at,nodes,changed,broken,problems\r\n"
                + "audit,2,2026-11-21T10:00:00Z,1,1,0,0\r\n"
                + "audit,1,2026-11-20T10:00:00Z,1,1,1,0\r\n");
    assertThat(ask("audit", "show", "1", "--db", db, "--format", "csv").out().lines())
        .first()
        .isEqualTo("record,id,at,nodes,changed,broken,problems,kernel,digest,count,change,what");
    for (String what : List.of("1", "2", "cn1")) {
      String[] show = {"audit", "show", what, "--db", db, "--format"};
      String document = ask(with(show, "json")).out();
      assertThat(Schemas.problems(document)).isEmpty();
      List<String> lines = ask(with(show, "ndjson")).out().lines().toList();
      assertThat(lines).isNotEmpty();
      for (String line : lines) {
        assertThat(Schemas.problems(line)).isEmpty();
        // the same as in the document
        String record = line.substring(line.indexOf(":{") + 1, line.length() - 1);
        assertThat(document).contains(record);
      }
      assertThat(ask(with(show, "csv")).out().lines()).hasSize(lines.size() + 1);
    }
    Path file = directory.resolve("log.json");
    WholeRun written = ask("audit", "log", "--db", db, "--format", "json", "-o", file.toString());
    assertThat(written.out()).isEmpty();
    assertThat(file).content().isEqualTo(ask("audit", "log", "--db", db, "--format", "json").out());
    assertThat(ask("audit", "log", "--db", db, "--format", "html").err())
        .contains("--format takes table, json, ndjson, csv");
    assertThat(ask("audit", "log", "--db", db, "-o", directory + "/none/x").status()).isEqualTo(2);
  }

  private static String[] with(String[] words, String last) {
    String[] all = Arrays.copyOf(words, words.length + 1);
    all[words.length] = last;
    return all;
  }

  @Test
  void whatWasMergedIsKeptAsIfOneRunHadMadeIt() throws Exception {
    NodeLines bad = new NodeLines(KERNEL).danglingLink(KERNEL, "x");
    byte[] symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 1)
            .bytes();
    String kernel = Files.write(directory.resolve("symvers"), symvers).toString();
    String plan = directory.resolve("plan").toString();
    String result = directory.resolve("result").toString();
    WholeRun.reading(
        ("cn1: " + bad.line(null) + "\n").getBytes(StandardCharsets.UTF_8),
        "audit",
        "plan",
        "-",
        "--kernel",
        kernel,
        "--parts",
        "1",
        "--directory",
        plan);
    assertThat(ask("audit", "judge", plan + "/part-1.ndjson", "-o", result).status()).isZero();
    String merged = directory.resolve("merged.db").toString();
    String whole = directory.resolve("whole.db").toString();
    String at = "2026-11-20T10:00:00Z";
    WholeRun run = ask("audit", "merge", "--plan", plan, result, "--db", merged, "--at", at);
    assertThat(run.status()).isEqualTo(1);
    audit(bad, "--kernel", kernel, "--db", whole, "--at", at);
    for (String what : List.of("1", "cn1")) {
      assertThat(ask("audit", "show", what, "--db", merged).out())
          .contains("x: the link is dangling")
          .isEqualTo(ask("audit", "show", what, "--db", whole).out());
    }
    assertThat(ask("audit", "merge", "--plan", plan, result, "--at", at).err())
        .contains("--at is for --db");
    Path text = Files.writeString(directory.resolve("text"), "some text that is not a database");
    WholeRun lost = ask("audit", "merge", "--plan", plan, result, "--db", text.toString());
    assertThat(lost.status()).isEqualTo(2);
    assertThat(lost.err()).contains("the audit was not kept");
    assertThat(lost.out()).contains("1 node");
  }
}
