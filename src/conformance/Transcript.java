import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The output of init.c on the console. */
final class Transcript {
  private final List<String> lines;
  private final Map<Integer, List<String>> logs = new HashMap<>();
  private final Map<Integer, List<String>> failedDependencies = new HashMap<>();
  private int current = -1;
  private int answered;
  private boolean began;

  Transcript(List<String> lines) {
    this.lines = lines;
  }

  /** Returns whether the guest reached the first module. */
  boolean began() {
    return began;
  }

  /**
   * Records the answers.
   *
   * @param again receives the modules that other modules kept from being loaded. If the same
   *     happens in the second boot, this is the answer
   * @return the number of answers
   */
  int put(Answer[] answers, Set<Integer> again) {
    for (String line : lines) {
      int at = line.indexOf('@');
      if (at >= 0 && line.length() > at + 3 && line.charAt(at + 2) == ' ') {
        line(line.charAt(at + 1), line.substring(at + 3), answers, again);
      }
    }
    if (current >= 0) {
      List<String> log = new ArrayList<>(log(current));
      lines.stream().filter(line -> line.matches(".*(BUG|RIP|panic|Oops).*")).forEach(log::add);
      answer(answers, current, new Answer("CRASHED", log));
    }
    return answered;
  }

  private void line(char kind, String text, Answer[] answers, Set<Integer> again) {
    String[] words = text.split(" ", 3);
    int number = Integer.parseInt(words[0]);
    switch (kind) {
      case 'B' -> {
        began = true;
        current = number;
      }
      case 'D' -> failedDependencies.computeIfAbsent(number, any -> new ArrayList<>()).add(words[1]);
      case 'L' -> log(number).add(text.substring(text.indexOf(' ') + 1));
      case 'R' -> {
        boolean accepted = words[2].startsWith("1");
        List<String> idle = failedDependencies.getOrDefault(number, List.of());
        int errno = Integer.parseInt(words[1]);
        answer(answers, number, Answer.of(errno, accepted, idle, log(number)));
      }
      case 'X' -> {
        if (current == number && !again.add(number)) {
          answer(answers, number, new Answer("NOT-ASKED", List.of(words[1])));
        }
        current = -1;
      }
      default -> {
        // Other lines are for readers.
      }
    }
  }

  private void answer(Answer[] answers, int number, Answer answer) {
    answers[number] = answer;
    answered++;
    current = -1;
  }

  private List<String> log(int number) {
    return logs.computeIfAbsent(number, any -> new ArrayList<>());
  }
}
