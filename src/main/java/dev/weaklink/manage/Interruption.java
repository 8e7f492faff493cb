package dev.weaklink.manage;

import dev.weaklink.check.result.InputProblem;
import dev.weaklink.links.History;
import dev.weaklink.links.HistoryEntry;
import dev.weaklink.links.UnrecordedRuns;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.util.List;

/** What is said, where nothing is changed, about a transaction that a killed process left. */
final class Interruption {
  private Interruption() {}

  /**
   * Whether there is one in a root.
   *
   * @param problems takes it, with the commands that finish it and take it back
   */
  static boolean isIn(Root root, List<InputProblem> problems) {
    try {
      HistoryEntry entry = History.interrupted(root);
      if (entry != null) {
        problems.add(
            new InputProblem(
                "transaction " + entry.number(),
                "was interrupted (" + entry.title() + "); " + advice(entry, root)));
      }
      boolean isInstalled = entry == null && new UnrecordedRuns(root).isInterrupted();
      if (isInstalled) {
        String command = "weaklink apply --rebuild";
        problems.add(
            new InputProblem(
                command,
                "was interrupted; to finish it: "
                    + command
                    + words(root)
                    + "; to take back what it installed: weaklink undo"
                    + words(root)));
      }
      return entry != null || isInstalled;
    } catch (IOException e) {
      problems.add(new InputProblem("the journal of transactions", IoReason.of(e)));
      return false;
    }
  }

  private static String words(Root root) {
    return root.isHost() ? "" : " --root " + ShellWord.of(root.top().toString());
  }

  private static String advice(HistoryEntry entry, Root root) {
    String words = words(root);
    return entry.undoes() > 0
        ? "to finish it: weaklink undo " + entry.undoes() + words
        : "to finish it: weaklink apply" + words + "; to take it back: weaklink undo" + words;
  }
}
