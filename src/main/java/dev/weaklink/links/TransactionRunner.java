package dev.weaklink.links;

import dev.weaklink.links.TransactionException.Outcome;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
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

  private final Workplace workplace;

  public TransactionRunner(Root root, TransactionSettings settings, TransactionListener listener) {
    this(new Workplace(root, settings, listener, FaultPoint.NONE));
  }

  TransactionRunner(Workplace workplace) {
    this.workplace = workplace;
  }

  /**
   * Carries out a transaction.
   *
   * @throws TransactionException if it was refused or failed; says in what state the root is
   */
  public TransactionOutcome run(LinkTransaction transaction) throws TransactionException {
    return locked(
        transaction.title(),
        log -> {
          List<PathChange> changes =
              new ChangePlanner(workplace.root(), log::madeDirectory).plan(transaction.changes());
          Draft draft =
              new Draft(
                  transaction.title(),
                  0,
                  checkedKernels(transaction.kernels()),
                  List.of(),
                  changes,
                  transaction.initramfs());
          return draft.isEmpty() ? nothing() : carryOut(log, draft);
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
          TransactionDirectory directory = log.open(request.number());
          TransactionRecord undone = undoable(directory);
          UndoPlanner planner = new UndoPlanner(workplace, directory, undone, request.force());
          List<PathChange> changes = planner.plan();
          Draft draft =
              new Draft(
                  request.title(),
                  undone.number(),
                  planner.kernels(),
                  planner.restorable(),
                  changes,
                  request.initramfs());
          return draft.isEmpty() ? nothing() : carryOut(log, draft);
        });
  }

  /**
   * Finishes or takes back an interrupted transaction, if there is one, and does nothing else.
   * {@link #run} and {@link #undo} do it by themselves.
   *
   * @throws TransactionException if that is impossible
   */
  public void recover() throws TransactionException {
    locked("recovery", log -> nothing());
  }

  /** What is done while no other process may. */
  private interface Work {
    TransactionOutcome in(TransactionLog log) throws TransactionException, IOException;
  }

  private TransactionOutcome locked(String title, Work work) throws TransactionException {
    try (LockFile lock = lock(shortened(title))) {
      TransactionLog log = new TransactionLog(workplace.root(), workplace.faults());
      new Recovery(workplace, log).run();
      return work.in(log);
    } catch (IOException e) {
      throw new TransactionException(Outcome.REFUSED, e.getMessage() + "; nothing was changed");
    }
  }

  private LockFile lock(String title) throws IOException {
    Path directory = workplace.root().resolve(LOCK_DIRECTORY);
    AtomicReference<LockFile.Holder> holder = new AtomicReference<>();
    LockFile lock;
    try {
      DurableFiles.createDirectories(directory);
      lock =
          LockFile.acquire(
              directory.resolve("lock"),
              title,
              workplace.settings().lockWait(),
              other -> {
                holder.set(other);
                workplace.listener().waitingFor(other);
              });
    } catch (IOException e) {
      throw new IOException("cannot lock " + directory + "/lock: " + IoReason.of(e), e);
    }
    if (lock == null) {
      throw new IOException(describe(holder.get()) + " has the lock " + directory + "/lock");
    }
    return lock;
  }

  private static String describe(LockFile.@Nullable Holder holder) {
    if (holder == null || holder.pid() == 0) {
      return "another process";
    }
    String command = holder.command().isEmpty() ? "" : " (" + holder.command() + ")";
    return "process " + holder.pid() + command;
  }

  private static String shortened(String title) {
    return title.length() <= MAX_TITLE ? title : title.substring(0, MAX_TITLE);
  }

  private List<String> checkedKernels(List<String> releases) throws IOException {
    for (String release : releases) {
      if (KernelDirectory.find(workplace.root(), release) == null) {
        throw new IOException("there is no directory of modules for kernel " + release);
      }
    }
    return new ArrayList<>(new LinkedHashSet<>(releases));
  }

  private static TransactionRecord undoable(TransactionDirectory directory) throws IOException {
    TransactionRecord record = directory.record();
    if (record == null || directory.progress().phase() != Progress.Phase.DONE) {
      throw new IOException(
          "transaction " + directory.number() + " was not carried out and cannot be undone");
    }
    return record;
  }

  private static TransactionOutcome nothing() {
    return new TransactionOutcome(0, List.of(), List.of(), List.of());
  }

  private TransactionOutcome carryOut(TransactionLog log, Draft draft) throws TransactionException {
    TransactionDirectory directory = null;
    Execution execution;
    try {
      directory = log.create();
      TransactionRecord record = record(directory, draft);
      execution = new Execution(workplace, directory, record);
      directory.write(record);
    } catch (IOException e) {
      throw unwritten(directory, e);
    }
    TransactionOutcome outcome = execution.carryOut(draft.initramfs());
    try {
      log.prune();
    } catch (IOException e) {
      workplace.listener().warning("old transactions cannot be removed: " + IoReason.of(e));
    }
    return outcome;
  }

  private TransactionRecord record(TransactionDirectory directory, Draft draft) throws IOException {
    List<IndexSet> saved = new ArrayList<>();
    for (String release : draft.kernels()) {
      KernelDirectory kernel = KernelDirectory.find(workplace.root(), release);
      if (kernel != null) {
        saved.add(new IndexFiles(kernel, workplace.faults()).save(directory.indexes()));
      }
    }
    long time = workplace.settings().clock().instant().getEpochSecond();
    return draft.record(directory.number(), time, shortened(draft.title()), saved);
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
