package dev.weaklink.fleet.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.NodeLines;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What {@code srun --label} breaks into pieces is read as it was. */
class TaskPiecesProperties {
  /** As JSON has it: brackets and quotes in a text open and close nothing. */
  private static final String NAME = "r\u00e9seau {\\\"\\\\ ] 1: ";

  @Property(tries = 200)
  void piecesOfSeveralTasksAreTheLinesTheyWere(
      @ForAll Random random,
      @ForAll @IntRange(min = 1, max = 12) int tasks,
      @ForAll @IntRange(min = 1, max = 200) int size) {
    List<String> lines = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      lines.add(line(task));
    }
    Recorded whole = Recorded.ofText(String.join("\n", lines));

    Recorded broken = Recorded.ofBytes(broken(lines, size, random));

    assertThat(broken.problems).isEmpty();
    assertThat(broken.nodes).isEqualTo(whole.nodes).hasSize(tasks);
  }

  private static String line(int task) {
    return new NodeLines("6.1").module("6.1", NAME + task, "A").line("cn" + task);
  }

  /** The pieces of a task stay in order; those of others may come between. */
  private static byte[] broken(List<String> lines, int size, Random random) {
    List<Deque<byte[]>> left = new ArrayList<>();
    for (int task = 0; task < lines.size(); task++) {
      left.add(pieces(lines.get(task).getBytes(StandardCharsets.UTF_8), size, task));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    while (!left.isEmpty()) {
      int next = random.nextInt(left.size());
      out.writeBytes(left.get(next).removeFirst());
      if (left.get(next).isEmpty()) {
        left.remove(next);
      }
    }
    return out.toByteArray();
  }

  private static Deque<byte[]> pieces(byte[] line, int size, int task) {
    Deque<byte[]> pieces = new ArrayDeque<>();
    for (int start = 0; start < line.length; start += size) {
      ByteArrayOutputStream piece = new ByteArrayOutputStream();
      piece.writeBytes("%2d: ".formatted(task).getBytes(StandardCharsets.UTF_8));
      piece.write(line, start, Math.min(size, line.length - start));
      piece.write('\n');
      pieces.add(piece.toByteArray());
    }
    return pieces;
  }

  @Example
  void whatIsMissingAtTheEndIsOneProblem() {
    String line = line(7);
    Recorded found =
        Recorded.ofText("7: " + line.substring(0, 40) + "\n7: " + line.substring(40, 60) + "\n");
    assertThat(found.nodes).isEmpty();
    assertThat(found.problems)
        .containsExactly("standard input:1: of task 7: is cut short; skipped");
  }

  @Example
  void anotherBeginningEndsWhatWasCutShort() {
    Recorded found =
        Recorded.ofText(
            "7: " + line(7).substring(0, 40) + "\n8: " + line(8) + "\n7: " + line(9) + "\n");
    assertThat(found.nodes).containsOnlyKeys("cn8", "cn9");
    assertThat(found.problems)
        .containsExactly("standard input:1: of task 7: is cut short; skipped");
  }
}
