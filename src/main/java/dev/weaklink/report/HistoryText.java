package dev.weaklink.report;

import dev.weaklink.links.HistoryEntry;
import dev.weaklink.links.PathChange;
import dev.weaklink.links.PathState;
import dev.weaklink.links.TransactionState;
import java.time.temporal.ChronoUnit;

/** Transactions of the past, for people. */
public final class HistoryText {
  private HistoryText() {}

  /** One line: number, time, state, counts, command. */
  public static String line(HistoryEntry entry) {
    return entry.number()
        + "  "
        + entry.time().truncatedTo(ChronoUnit.SECONDS)
        + "  "
        + words(entry.state())
        + "  +"
        + entry.linksMade()
        + " -"
        + entry.linksRemoved()
        + " ~"
        + entry.linksReplaced()
        + "  "
        + Escape.text(entry.title())
        + (entry.undoes() > 0 ? " (undoes " + entry.undoes() + ")" : "")
        + "\n";
  }

  /** A line for every link it changed. */
  public static String changes(HistoryEntry entry) {
    StringBuilder text = new StringBuilder();
    for (PathChange change : entry.changes()) {
      append(text, change);
    }
    return text.toString();
  }

  /** A line for every link that undoing it would change. */
  public static String changesToUndo(HistoryEntry entry) {
    StringBuilder text = new StringBuilder();
    for (PathChange change : entry.changes()) {
      append(text, new PathChange(change.path(), change.after(), change.before()));
    }
    return text.toString();
  }

  private static void append(StringBuilder text, PathChange change) {
    if (!change.isDirectory()) {
      text.append("    ").append(Escape.text(change.path())).append(": ");
      text.append(words(change.before())).append(" => ").append(words(change.after()));
      text.append('\n');
    }
  }

  private static String words(PathState state) {
    if (state instanceof PathState.Text text) {
      return Numbers.of((int) text.content().lines().count(), "line");
    }
    return state instanceof PathState.Link link ? Escape.text(link.target()) : "none";
  }

  private static String words(TransactionState state) {
    return switch (state) {
      case DONE -> "done";
      case ROLLED_BACK -> "taken back";
      case UNFINISHED -> "interrupted";
    };
  }
}
