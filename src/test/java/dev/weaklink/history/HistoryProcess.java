package dev.weaklink.history;

import dev.weaklink.audit.Nodes;
import dev.weaklink.testing.AuditReports;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A process of its own that keeps one audit after the other, and says when each is kept. */
final class HistoryProcess {
  static final int NODES = 300;

  private HistoryProcess() {}

  public static void main(String... arguments) throws Exception {
    int count = Integer.parseInt(arguments[1]);
    for (int i = 0; i < count; i++) {
      try (HistoryDatabase database = HistoryDatabase.openOrMake(Path.of(arguments[0]))) {
        System.out.println(
            HistoryWriter.record(database, audit(i).build(), Instant.ofEpochSecond(i)));
      }
    }
  }

  /** All nodes have one set or, each second time, another. */
  private static AuditReports audit(int number) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      names.add("cn" + i);
    }
    return new AuditReports()
        .nodes(NODES)
        .set("6.1.0-54", null, "a")
        .set("6.1.0-54", null, "b")
        .group(number % 2, Nodes.of(names), 0);
  }

  static Process start(Path file, int count) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            HistoryProcess.class.getName(),
            file.toString(),
            "" + count)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
