package dev.weaklink.manage;

import dev.weaklink.check.result.InputProblem;
import dev.weaklink.links.History;
import dev.weaklink.links.HistoryEntry;
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
      return entry != null;
    } catch (IOException e) {
      problems.add(new InputProblem("the journal of transactions", IoReason.of(e)));
      return false;
    }
  }

  private static String advice(HistoryEntry entry, Root root) {
    String words = root.isHost() ? "" : " --root " + ShellWord.of(root.top().toString());
    return entry.undoes() > 0
        ? "to finish it: weaklink undo " + entry.undoes() + words
        : "to finish it: weaklink apply" + words + "; to take it back: weaklink undo" + words;
  }
}
