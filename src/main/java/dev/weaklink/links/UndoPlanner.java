package dev.weaklink.links;

import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds out how to get back to what was before a transaction. */
final class UndoPlanner {
  private final Workplace workplace;
  private final TransactionDirectory directory;
  private final TransactionRecord undone;
  private final boolean force;
  private final PlannedLinks links = new PlannedLinks();
  private final List<String> objections = new ArrayList<>();

  UndoPlanner(
      Workplace workplace,
      TransactionDirectory directory,
      TransactionRecord undone,
      boolean force) {
    this.workplace = workplace;
    this.directory = directory;
    this.undone = undone;
    this.force = force;
  }

  /**
   * What is to be done, sorted by path; nothing where everything is as it was before.
   *
   * @throws TransactionException with the paths that are not as the transaction left them
   */
  List<PathChange> plan() throws TransactionException, IOException {
    Set<String> made = new HashSet<>();
    for (PathChange change : undone.changes()) {
      try {
        plan(change, made);
      } catch (NoSuchKernelException e) {
        workplace.listener().warning(change.path() + " is gone with its kernel");
      } catch (IOException e) {
        objections.add(IoReason.of(e));
      }
    }
    if (!objections.isEmpty()) {
      throw new TransactionException(
          TransactionException.Outcome.REFUSED,
          "transaction "
              + undone.number()
              + " cannot be undone: others have changed since what it"
              + " changed; nothing was changed",
          objections);
    }
    return new DirectoryChanges(links).complete(path -> made.contains(path.text()));
  }

  private void plan(PathChange change, Set<String> made) throws IOException {
    LinkPath path = LinkPath.parse(workplace.root(), change.path());
    if (!change.isDirectory()) {
      planLink(path, change);
    } else if (change.before() instanceof PathState.Directory directoryBefore) {
      links.mode(path, directoryBefore.mode());
    } else {
      made.add(path.text());
      links.abandon(path);
    }
  }

  private void planLink(LinkPath path, PathChange change) throws IOException {
    PathState state = path.state();
    if (state instanceof PathState.Directory) {
      throw new IOException(path.text() + " is a directory now");
    }
    if (!force && !state.equals(change.after()) && !state.equals(change.before())) {
      throw new IOException(path.text() + " " + inWords(state));
    }
    links.link(path, state, change.before());
  }

  private static String inWords(PathState state) {
    if (state instanceof PathState.Text) {
      return "has another text now";
    }
    return state instanceof PathState.Link link ? "points to " + link.target() + " now" : "is gone";
  }

  /** The kernels that are still there. */
  List<String> kernels() throws IOException {
    List<String> kernels = new ArrayList<>();
    for (String release : undone.kernels()) {
      if (KernelDirectory.find(workplace.root(), release) != null) {
        kernels.add(release);
      }
    }
    return kernels;
  }

  /** Kernels whose kept index files may take the place of those of today, which nobody changed. */
  List<String> restorable() throws IOException {
    List<String> releases = new ArrayList<>();
    if (!undone.installed().isEmpty()) {
      return releases; // they list what was installed
    }
    List<IndexSet> written = directory.progress().written();
    for (String release : kernels()) {
      KernelDirectory kernel = KernelDirectory.find(workplace.root(), release);
      IndexSet saved = Indexing.of(release, undone.saved());
      if (kernel != null
          && saved != null
          && IndexFiles.isIntact(directory.indexes(), saved)
          && new IndexFiles(kernel, workplace.faults())
              .contents()
              .equals(Indexing.of(release, written))) {
        releases.add(release);
      }
    }
    return releases;
  }
}
