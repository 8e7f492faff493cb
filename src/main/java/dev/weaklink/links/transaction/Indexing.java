package dev.weaklink.links.transaction;

import dev.weaklink.sys.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The index files of all kernels of one transaction. */
final class Indexing {
  private final TransactionContext context;
  private final TransactionDirectory directory;
  private final TransactionRecord record;

  Indexing(TransactionContext context, TransactionDirectory directory, TransactionRecord record) {
    this.context = context;
    this.directory = directory;
    this.record = record;
  }

  /**
   * Brings them up to date: with depmod or, if that is what was decided, from what the undone
   * transaction kept.
   *
   * @return the files as they are now
   */
  List<IndexSet> renew() throws IOException {
    List<IndexSet> written = new ArrayList<>();
    for (String release : record.kernels()) {
      KernelDirectory kernel = KernelDirectory.find(context.root(), release);
      if (kernel == null) {
        context
            .listener()
            .warning(release + ": kernel directory no longer exists; depmod was not run");
        continue;
      }
      if (!record.restored().contains(release) || !restoreUndone(kernel)) {
        new DepmodRunner(context).run(kernel, directory.work());
      }
      written.add(new IndexFiles(kernel, context.faults()).contents());
    }
    return written;
  }

  private boolean restoreUndone(KernelDirectory kernel) throws IOException {
    TransactionDirectory undone =
        new TransactionLog(context.root(), context.faults()).open(record.undoes());
    TransactionRecord what = undone.record();
    IndexSet saved = what == null ? null : of(kernel.release(), what.saved());
    return saved != null && restore(kernel, undone.indexes(), saved);
  }

  /** Puts the files back as they were before the transaction; where that fails, depmod runs. */
  void takeBack() throws IOException {
    DurableFiles.deleteTree(directory.work());
    for (IndexSet saved : record.saved()) {
      KernelDirectory kernel = KernelDirectory.find(context.root(), saved.kernel());
      if (kernel != null && !restore(kernel, directory.indexes(), saved)) {
        new DepmodRunner(context).run(kernel, directory.work());
      }
    }
  }

  private boolean restore(KernelDirectory kernel, Path store, IndexSet saved) throws IOException {
    if (!IndexFiles.isIntact(store, saved)) {
      return false;
    }
    new IndexFiles(kernel, context.faults()).restore(store, saved);
    return true;
  }

  /** The set of one kernel, or null. */
  static @Nullable IndexSet of(String release, List<IndexSet> sets) {
    for (IndexSet set : sets) {
      if (set.kernel().equals(release)) {
        return set;
      }
    }
    return null;
  }
}
