package dev.weaklink.links;

import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is said, where nothing is changed, about a transaction that a killed process left. */
final class Interruption {
  private static final String REBUILD = "weaklink apply --rebuild";

  private Interruption() {}

  /**
   * The one in a root, with the commands that finish it and take it back; null if there is none.
   *
   * @param problems takes why that is not known
   */
  static @Nullable InputProblem in(Root root, List<InputProblem> problems) {
    try {
      boolean rebuilding = TransactionGroup.isInterrupted(root);
      HistoryEntry entry = History.interrupted(root);
      if (entry != null) {
        String what = "was interrupted (" + entry.title() + "); ";
        return new InputProblem(
            "transaction " + entry.number(),
            what + advice(entry, rebuilding || entry.open(), root));
      }
      return rebuilding
          ? new InputProblem(REBUILD, "was interrupted; " + advice(REBUILD, root))
          : null;
    } catch (IOException e) {
      problems.add(new InputProblem("the journal of transactions", IoReason.of(e)));
      return null;
    }
  }

  private static String advice(HistoryEntry entry, boolean rebuilding, Root root) {
    return entry.undoes() > 0
        ? "to finish it: weaklink undo " + entry.undoes() + words(root)
        : advice(rebuilding ? REBUILD : "weaklink apply", root);
  }

  private static String advice(String finish, Root root) {
    return "to finish it: "
        + finish
        + words(root)
        + "; to take it back: weaklink undo"
        + words(root);
  }

  private static String words(Root root) {
    return root.isHost() ? "" : " --root " + ShellWord.of(root.top().toString());
  }
}
