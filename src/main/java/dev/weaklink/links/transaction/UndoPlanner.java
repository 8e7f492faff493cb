package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionDirectory.Content;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/** Finds out how to get back to what was before a transaction. */
final class UndoPlanner {
  private final TransactionContext context;
  private final TransactionDirectory directory;
  private final List<TransactionDirectory> directories;
  private final TransactionRecord undone;
  private final boolean force;
  private final PlannedPaths paths = new PlannedPaths();
  private final List<String> objections = new ArrayList<>();

  /**
   * For one transaction.
   *
   * @param directories of it and of those that are one entry of the history with it
   * @param undone all of these as one
   */
  UndoPlanner(
      TransactionContext context,
      List<TransactionDirectory> directories,
      TransactionRecord undone,
      boolean force) {
    this.context = context;
    this.directory = directories.get(directories.size() - 1);
    this.directories = directories;
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
        context.listener().warning(change.path() + ": kernel directory no longer exists");
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
    return paths.complete(path -> made.contains(path.text()));
  }

  /** What the files contain that it changes, by digest. */
  SortedMap<String, Content> contents() {
    return paths.contents();
  }

  private void plan(PathChange change, Set<String> made) throws IOException {
    ManagedPath path = ManagedPath.parse(context.root(), change.path());
    if (!change.isDirectory()) {
      planPath(path, change);
    } else if (change.before() instanceof PathState.Directory directoryBefore) {
      paths.mode(path, directoryBefore.mode());
    } else {
      made.add(path.text());
      paths.abandon(path);
    }
  }

  private void planPath(ManagedPath path, PathChange change) throws IOException {
    PathState state = path.state();
    if (state instanceof PathState.Directory) {
      throw new IOException(path.text() + " is a directory now");
    }
    if (!force && !state.equals(change.after()) && !state.equals(change.before())) {
      throw new IOException(path.text() + " " + inWords(state));
    }
    Content content = null;
    if (change.before() instanceof PathState.File file && !state.equals(file)) {
      content = kept(path, file);
    }
    paths.add(path, state, change.before(), content);
  }

  private Content kept(ManagedPath path, PathState.File file) throws IOException {
    for (TransactionDirectory one : directories) {
      if (one.keeps(file)) {
        return to -> one.write(file, to);
      }
    }
    throw new IOException(path.text() + ": what was there before is no longer kept");
  }

  private static String inWords(PathState state) {
    if (state instanceof PathState.File) {
      return "is another file now";
    }
    return state instanceof PathState.Link link ? "points to " + link.target() + " now" : "is gone";
  }

  /** The kernels that are still there. */
  List<String> kernels() throws IOException {
    List<String> kernels = new ArrayList<>();
    for (String release : undone.kernels()) {
      if (KernelDirectory.find(context.root(), release) != null) {
        kernels.add(release);
      }
    }
    return kernels;
  }

  /** Kernels whose kept index files may take the place of those of today, which nobody changed. */
  List<String> restorable() throws IOException {
    List<String> releases = new ArrayList<>();
    if (!undone.external().isEmpty()) {
      return releases; // they may list what is installed still
    }
    List<IndexSet> written = directory.progress().written();
    for (String release : kernels()) {
      KernelDirectory kernel = KernelDirectory.find(context.root(), release);
      IndexSet saved = Indexing.of(release, undone.saved());
      if (kernel != null
          && saved != null
          && IndexFiles.isIntact(directory.indexes(), saved)
          && new IndexFiles(kernel, context.faults())
              .contents()
              .equals(Indexing.of(release, written))) {
        releases.add(release);
      }
    }
    return releases;
  }
}
