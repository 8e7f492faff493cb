package dev.weaklink.links;

import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Compares what is asked for with what is there, and says what is to be done, or why it cannot. */
final class ChangePlanner {
  private final Root root;
  private final Predicate<String> madeByUs;
  private final Set<Path> seen = new HashSet<>();
  private final List<String> objections = new ArrayList<>();

  /**
   * A planner for one transaction.
   *
   * @param madeByUs whether an earlier transaction made the directory of this path
   */
  ChangePlanner(Root root, Predicate<String> madeByUs) {
    this.root = root;
    this.madeByUs = madeByUs;
  }

  /**
   * What is to be done, sorted by path; nothing where everything is as wanted.
   *
   * @throws TransactionException with all that is in the way
   */
  List<PathChange> plan(List<Change> changes) throws TransactionException {
    PlannedLinks links = new PlannedLinks();
    for (Change change : changes) {
      try {
        link(change, links);
      } catch (InvalidPathException e) {
        objections.add(change.path() + ": not a valid link target");
      } catch (IOException e) {
        objections.add(IoReason.of(e));
      }
    }
    refuseIf("the links are not as expected");
    try {
      return new DirectoryChanges(links).complete(this::mayBeRemoved);
    } catch (IOException e) {
      throw new TransactionException(
          TransactionException.Outcome.REFUSED, "cannot plan the changes: " + e.getMessage());
    }
  }

  /** A user's empty weak-updates stays; one that a transaction made goes with its last link. */
  private boolean mayBeRemoved(LinkPath directory) {
    return !directory.isTop() || madeByUs.test(directory.text());
  }

  private void link(Change change, PlannedLinks links) throws IOException {
    LinkPath path = LinkPath.parse(root, change.path());
    if (path.isTop()) {
      throw new IOException(path.text() + " is not a place for a link");
    }
    if (!seen.add(path.host())) {
      throw new IOException(path.text() + " is named twice");
    }
    PathState before = path.state();
    if (before instanceof PathState.Directory) {
      throw new IOException(path.text() + " is a directory, not a symbolic link");
    }
    if (path.isText() != change instanceof Change.AddLines) {
      throw new IOException(path.text() + " is not a place for that");
    }
    links.link(path, before, wanted(change, before));
  }

  private static PathState wanted(Change change, PathState before) throws IOException {
    if (change instanceof Change.PutLink put) {
      return new PathState.Link(checkedTarget(put));
    }
    if (change instanceof Change.AddLines add) {
      return withLines(before, add.lines());
    }
    String expected = LinkPath.plain(((Change.RemoveLink) change).expectedTarget());
    if (before instanceof PathState.Link link && !link.target().equals(expected)) {
      throw new IOException(change.path() + " points to " + link.target() + ", not to " + expected);
    }
    return PathState.ABSENT;
  }

  private static PathState withLines(PathState before, List<String> lines) {
    String content = before instanceof PathState.Text text ? text.content() : "# by weaklink\n";
    StringBuilder all = new StringBuilder(content);
    if (!content.isEmpty() && !content.endsWith("\n")) {
      all.append('\n');
    }
    List<String> present = content.lines().toList();
    for (String line : lines) {
      all.append(present.contains(line) ? "" : line + "\n");
    }
    return new PathState.Text(all.toString());
  }

  private static String checkedTarget(Change.PutLink put) throws IOException {
    String target = LinkPath.plain(put.target());
    if (target.isEmpty()) {
      throw new IOException(put.path() + ": a link to nothing");
    }
    return target;
  }

  private void refuseIf(String message) throws TransactionException {
    if (!objections.isEmpty()) {
      String first = objections.size() == 1 ? ": " + objections.get(0) : "";
      throw new TransactionException(
          TransactionException.Outcome.REFUSED,
          message + first + "; nothing was changed",
          objections);
    }
  }
}
