package dev.weaklink.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that write to one database at a time, and some that are killed. */
class KilledHistoryTest {
  private static final int KILLS = Integer.getInteger("weaklink.historyKills", 5);
  private static final int AUDITS = 12;
  private static final int SIGKILLED = 128 + 9;

  @TempDir Path directory;

  @Test
  void afterSigkillEveryAuditIsThereAsAWholeOrNotAtAll() throws Exception {
    Path file = directory.resolve("db");
    long said = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      Process process = HistoryProcess.start(file, 100_000);
      try (BufferedReader lines = reader(process)) {
        for (int i = 0; i < 2 + kill; i++) {
          said = Long.parseLong(lines.readLine());
        }
        // Nearly all of the time it is writing. The handle leaves the stream open.
        process.toHandle().destroyForcibly();
        for (String line = lines.readLine(); isWhole(line); line = lines.readLine()) {
          said = Math.max(said, Long.parseLong(line));
        }
      }
      assertThat(process.waitFor()).isEqualTo(SIGKILLED);
      assertWhole(file, said);
    }
    assertThat(said).isGreaterThanOrEqualTo(2L * KILLS);
  }

  @Test
  void twoWritersWaitForEachOther() throws Exception {
    Path file = directory.resolve("db");
    List<Process> processes =
        List.of(HistoryProcess.start(file, AUDITS), HistoryProcess.start(file, AUDITS));
    List<Long> kept = new ArrayList<>();
    for (Process process : processes) {
      try (BufferedReader lines = reader(process)) {
        lines.lines().forEach(line -> kept.add(Long.parseLong(line)));
      }
      assertThat(process.waitFor()).isZero();
    }
    assertThat(kept).hasSize(2 * AUDITS).doesNotHaveDuplicates();
    assertWhole(file, 2 * AUDITS);
  }

  private static boolean isWhole(String line) {
    return line != null && !line.isEmpty();
  }

  private static BufferedReader reader(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** What was said to be kept is there; each audit has its group, each node just one set. */
  private static void assertWhole(Path file, long said) throws IOException {
    try (HistoryDatabase database = HistoryDatabase.openExisting(file)) {
      assertThat(
              number(
                  database,
                  "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"))
          .isZero();
      assertThat(number(database, "SELECT max(id) FROM runs")).isGreaterThanOrEqualTo(said);
      assertThat(
              number(
                  database,
                  "SELECT count(*) FROM runs r WHERE (SELECT sum(count) FROM groups g"
                      + " WHERE g.run = r.id) IS NOT "
                      + HistoryProcess.NODES))
          .isZero();
      assertThat(
              number(
                  database, "SELECT count(*) FROM nodes WHERE last <> (SELECT max(id) FROM runs)"))
          .isZero();
      assertThat(number(database, "SELECT count(*) FROM holdings WHERE until IS NULL"))
          .isEqualTo(HistoryProcess.NODES);
    }
  }

  private static long number(HistoryDatabase database, String sql) throws IOException {
    return database.read(connection -> HistoryDatabase.number(connection, sql));
  }
}
