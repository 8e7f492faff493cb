package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionException.Outcome;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import dev.weaklink.system.initramfs.InitramfsStep;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Carries out transactions in a root, one at a time: lock, recovery of an interrupted one, journal,
 * links, depmod, initramfs. Killed at any point, the next one finishes or takes back what was
 * begun.
 */
public final class TransactionRunner {
  private static final String LOCK_DIRECTORY = "/run/weaklink";
  private static final int MAX_TITLE = 4096;

  private final TransactionContext context;

  public TransactionRunner(Root root, TransactionSettings settings, TransactionListener listener) {
    this.context = new TransactionContext(root, settings, listener);
  }

  /** What is to be done, found out while no other process may change links. */
  public interface Decision {
    /** Null if nothing is. */
    @Nullable LinkTransaction make() throws IOException;
  }

  /**
   * Carries out a transaction.
   *
   * @throws TransactionException if it was refused or failed; says in what state the root is
   */
  public TransactionOutcome run(LinkTransaction transaction) throws TransactionException {
    return run(transaction.title(), () -> transaction);
  }

  /**
   * Carries out what is decided once no other process changes links any more.
   *
   * @param title says to others who wait who is at work
   * @throws TransactionException as for a transaction that is known before
   */
  public TransactionOutcome run(String title, Decision decision) throws TransactionException {
    return locked(
        title,
        log -> {
          LinkTransaction transaction = decision.make();
          if (transaction == null) {
            return TransactionOutcome.NOTHING;
          }
          ChangePlanner planner = new ChangePlanner(context.root(), log::madeDirectory);
          List<PathChange> changes = planner.plan(transaction.changes());
          PlannedTransaction planned =
              new PlannedTransaction(
                  transaction.title(),
                  0,
                  transaction.group(),
                  checkedKernels(transaction.kernels()),
                  List.of(),
                  changes,
                  transaction.initramfs(),
                  transaction.installed(),
                  transaction.external(),
                  planner.contents());
          return planned.isEmpty() ? TransactionOutcome.NOTHING : carryOut(log, planned);
        });
  }

  /**
   * Restores, in a new transaction, what was there before an earlier one; depmod's index files,
   * too.
   *
   * @throws TransactionException if paths are no longer what that transaction left (its details
   *     list them), or as for {@link #run}
   */
  public TransactionOutcome undo(UndoRequest request) throws TransactionException {
    return locked(
        request.title(),
        log -> {
          List<TransactionDirectory> directories = log.joined(undoable(log.open(request.number())));
          TransactionRecord undone = joined(directories);
          UndoPlanner planner = new UndoPlanner(context, directories, undone, request.force());
          List<PathChange> changes = planner.plan();
          PlannedTransaction planned =
              new PlannedTransaction(
                  request.title(),
                  undone.number(),
                  null,
                  planner.kernels(),
                  planner.restorable(),
                  changes,
                  request.initramfs(),
                  undone.installed(),
                  // What other programs removed they do not install again.
                  undone.undoes() > 0 ? List.of() : undone.external(),
                  planner.contents());
          return planned.isEmpty() ? TransactionOutcome.NOTHING : carryOut(log, planned);
        });
  }

  /** Writes down that nothing more belongs to a group. */
  public void close(TransactionGroup group) throws TransactionException {
    if (group.number() > 0) {
      locked(
          "weaklink",
          log -> {
            log.close(group.number());
            return TransactionOutcome.NOTHING;
          });
    }
  }

  /** What renews the images that hold a module whose link changed. */
  public interface Renewals {
    /** Knows of no image. */
    Renewals NONE = entry -> List.of();

    /** At most one command for a kernel. */
    List<InitramfsStep> of(HistoryEntry entry);
  }

  /**
   * Finishes or takes back an interrupted transaction, if there is one, and does nothing else, so
   * that what is looked at afterwards is not half done. {@link #run} and {@link #undo} do it, too.
   *
   * @param renewals what is to run for images that it did not come to renew
   * @return how it ended; null if no transaction was interrupted
   * @throws TransactionException if that is impossible
   */
  public @Nullable HistoryEntry recover(Renewals renewals) throws TransactionException {
    try {
      if (new TransactionLog(context.root(), context.faults()).isSettled()) {
        return null;
      }
    } catch (IOException e) {
      // said once nobody else can be at work
    }
    try (LockFile lock = lock("weaklink")) {
      TransactionLog log = new TransactionLog(context.root(), context.faults());
      return new Recovery(context, log).run(renewals);
    } catch (IOException e) {
      throw refused(e);
    }
  }

  private static TransactionException refused(IOException cause) {
    return new TransactionException(Outcome.REFUSED, cause.getMessage() + "; nothing was changed");
  }

  /** What is done while no other process may. */
  private interface Work {
    TransactionOutcome in(TransactionLog log) throws TransactionException, IOException;
  }

  private TransactionOutcome locked(String title, Work work) throws TransactionException {
    try (LockFile lock = lock(shortened(title))) {
      TransactionLog log = new TransactionLog(context.root(), context.faults());
      new Recovery(context, log).run(Renewals.NONE);
      return work.in(log);
    } catch (IOException e) {
      throw refused(e);
    }
  }

  private LockFile lock(String title) throws IOException {
    Path file = lockFile(context.root());
    AtomicReference<LockFile.Holder> holder = new AtomicReference<>();
    LockFile lock;
    try {
      DurableFiles.createDirectories(file.resolveSibling(""));
      lock =
          LockFile.acquire(
              file,
              title,
              context.settings().lockWait(),
              other -> {
                holder.set(other);
                context.listener().waitingFor(other);
              });
    } catch (IOException e) {
      throw new IOException("cannot lock " + file + ": " + IoReason.of(e), e);
    }
    if (lock == null) {
      LockFile.Holder other = holder.get();
      String who = other == null ? "another process" : other.words();
      throw new IOException(who + " has the lock " + file);
    }
    return lock;
  }

  /** The lock's file; if that is a link, it is refused, and so not resolved here. */
  static Path lockFile(Root root) throws IOException {
    return root.resolve(LOCK_DIRECTORY).resolve("lock");
  }

  private static String shortened(String title) {
    return title.length() <= MAX_TITLE ? title : title.substring(0, MAX_TITLE);
  }

  private List<String> checkedKernels(List<String> releases) throws IOException {
    for (String release : releases) {
      if (KernelDirectory.find(context.root(), release) == null) {
        throw new IOException("there is no directory of modules for kernel " + release);
      }
    }
    return new ArrayList<>(new LinkedHashSet<>(releases));
  }

  private static TransactionRecord undoable(TransactionDirectory directory) throws IOException {
    TransactionRecord record = directory.record();
    if (record == null || directory.progress().phase() != TransactionProgress.Phase.DONE) {
      throw new IOException(
          "transaction " + directory.number() + " was not carried out and cannot be undone");
    }
    return record;
  }

  private static TransactionRecord joined(List<TransactionDirectory> directories)
      throws IOException {
    TransactionRecord joined = undoable(directories.get(0));
    for (TransactionDirectory later : directories.subList(1, directories.size())) {
      joined = undoable(later).after(joined);
    }
    return joined;
  }

  private TransactionOutcome carryOut(TransactionLog log, PlannedTransaction planned)
      throws TransactionException {
    TransactionDirectory directory = null;
    Execution execution;
    try {
      directory = log.create();
      directory.keep(planned.contents());
      TransactionRecord record = record(directory, planned);
      execution = new Execution(context, directory, record);
      directory.write(record);
    } catch (IOException e) {
      throw unwritten(directory, e);
    }
    TransactionOutcome outcome = execution.carryOut(planned.initramfs());
    if (planned.group() != null) {
      planned.group().carriedOut(outcome.number());
    }
    try {
      log.prune();
    } catch (IOException e) {
      context.listener().warning("old transactions cannot be removed: " + IoReason.of(e));
    }
    return outcome;
  }

  private TransactionRecord record(TransactionDirectory directory, PlannedTransaction planned)
      throws IOException {
    List<IndexSet> saved = new ArrayList<>();
    for (String release : planned.kernels()) {
      KernelDirectory kernel = KernelDirectory.find(context.root(), release);
      if (kernel != null) {
        saved.add(new IndexFiles(kernel, context.faults()).save(directory.indexes()));
      }
    }
    long time = context.settings().clock().instant().getEpochSecond();
    return planned.record(directory.number(), time, shortened(planned.title()), saved);
  }

  private static TransactionException unwritten(
      @Nullable TransactionDirectory directory, IOException cause) {
    try {
      if (directory != null) {
        directory.delete();
      }
    } catch (IOException e) {
      // Without a journal it is nothing but a directory, which the next run removes.
    }
    return new TransactionException(
        Outcome.REFUSED,
        "the journal cannot be written: " + cause.getMessage() + "; nothing was changed");
  }
}
