package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
            2026-11-21T11:00:00Z (2)  -                         broken: x: the link leads to nothing: /lib/modules/5.14.0-503/weak-updates/x.ko
            2026-11-20T10:00:00Z (1)  2026-11-21T11:00:00Z (2)  5.14.0-503: modules digest
            """);
    assertThat(ask("audit", "show", "--db", db, "2").out())
        .contains("audit 2, 2026-11-21T11:00:00Z: 1 node, 1 broken")
        .contains("+ x: the link leads to nothing");
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
        Files.writeString(directory.resolve("text"), "some text that is no database at all");
    WholeRun run = audit(good, "--db", text.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("the audit was not kept: " + text + ": is no database");
    assertThat(run.out()).contains("1 node");
    assertThat(audit(good, "--at", "2026-11-20T10:00:00Z").status()).isEqualTo(2);
    assertThat(audit(good, "--db", "x", "--at", "yesterday").err())
        .contains("takes a time such as");
    assertThat(ask("audit", "log", "--db", directory.resolve("none").toString()).status())
        .isEqualTo(2);
    assertThat(ask("audit", "log").err()).contains("name the database with --db FILE");
    assertThat(ask("audit", "show", "--db", "x").status()).isEqualTo(2);
  }
}
