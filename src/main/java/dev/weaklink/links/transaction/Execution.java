package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionOutcome.InitramfsFailure;
import dev.weaklink.links.transaction.TransactionRunner.Renewals;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.NotDoneException.Outcome;
import dev.weaklink.system.initramfs.InitramfsStep;
import java.io.IOException;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Carries out a transaction that is in the journal: for the first time, or after a breakdown. */
final class Execution {
  private final TransactionContext context;
  private final TransactionDirectory directory;
  private final TransactionRecord record;
  private final ChangeApplier links;
  private final Indexing indexing;

  Execution(TransactionContext context, TransactionDirectory directory, TransactionRecord record)
      throws IOException {
    this.context = context;
    this.directory = directory;
    this.record = record;
    this.links = new ChangeApplier(context, directory, record.changes());
    this.indexing = new Indexing(context, directory, record);
  }

  /**
   * Carries it out, just after it was written to the journal.
   *
   * @throws NotDoneException if it failed; everything is as before then, if possible
   */
  TransactionOutcome carryOut(List<InitramfsStep> initramfs) throws NotDoneException {
    prepare();
    List<IndexSet> written;
    try {
      links.commit();
      refuseConflicts();
      written = indexing.renew();
      directory.write(TransactionProgress.indexed(written, record.initramfs()));
    } catch (IOException e) {
      throw takeBack(e);
    }
    try {
      finish();
      List<InitramfsFailure> failures = renewInitramfs(initramfs);
      int number = conclude(TransactionProgress.done(written, kernelsOf(failures)));
      return new TransactionOutcome(
          number,
          record.changes(),
          record.kernels(),
          record.undoes() > 0 ? record.external() : List.of(),
          failures);
    } catch (IOException e) {
      throw new NotDoneException(
          Outcome.BROKEN,
          "the changes are made, but the transaction is not finished ("
              + IoReason.of(e)
              + "); fix this and run again");
    }
  }

  /** Keeps only what undoing it takes. */
  private void finish() throws IOException {
    links.finish();
    Set<String> digests = new TreeSet<>();
    for (PathChange change : record.changes()) {
      if (change.before() instanceof PathState.File file) {
        digests.add(file.sha256());
      }
    }
    directory.retainFiles(digests);
  }

  /** Until its end, no link has changed: what fails here is refused, and forgotten. */
  private void prepare() throws NotDoneException {
    try {
      links.prepare();
      refuseConflicts();
    } catch (IOException e) {
      try {
        links.takeBack();
        directory.delete();
      } catch (IOException second) {
        throw broken(e, second);
      }
      throw new NotDoneException(
          Outcome.REFUSED,
          "cannot change links or files: " + describe(e) + "; nothing was changed",
          StepFailure.detailsOf(e));
    }
  }

  /** A step that failed for a reason of more than one line. */
  static final class StepFailure extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    private final transient List<String> details;

    StepFailure(String message, List<String> details) {
      super(message);
      this.details = List.copyOf(details);
    }

    /** The lines of a failure, if there are any. */
    private static List<String> detailsOf(IOException e) {
      return e instanceof StepFailure failure ? failure.details : List.of();
    }
  }

  private void refuseConflicts() throws IOException {
    Set<String> conflicts = links.conflicts();
    if (!conflicts.isEmpty()) {
      throw new StepFailure(conflicts.iterator().next(), new ArrayList<>(conflicts));
    }
  }

  /** Restores everything and returns what to say about it. */
  private NotDoneException takeBack(IOException cause) {
    String problem = describe(cause);
    try {
      announce(problem);
      restore();
      giveUp(problem);
    } catch (IOException e) {
      return broken(cause, e);
    }
    return new NotDoneException(
        Outcome.ROLLED_BACK,
        problem + "; everything is as it was before",
        StepFailure.detailsOf(cause));
  }

  /** If not even that can be written, an interruption here would end in another attempt. */
  private void announce(String problem) {
    try {
      directory.write(TransactionProgress.rollingBack(problem));
    } catch (IOException e) {
      context.listener().warning("the journal cannot be written: " + IoReason.of(e));
    }
  }

  private void restore() throws IOException {
    links.takeBack();
    indexing.takeBack();
    for (String conflict : links.conflicts()) {
      context.listener().warning(conflict + "; left as it is");
    }
  }

  /** On a full disk the transaction is forgotten, which needs no space. */
  private void giveUp(String problem) throws IOException {
    try {
      directory.write(TransactionProgress.rolledBack(problem));
      directory.forgetIndexes();
      directory.retainFiles(Set.of());
    } catch (IOException e) {
      directory.delete();
    }
  }

  private NotDoneException broken(IOException cause, IOException second) {
    return new NotDoneException(
        Outcome.BROKEN,
        "transaction "
            + record.number()
            + " failed ("
            + describe(cause)
            + ") and could not be taken back ("
            + describe(second)
            + "); fix this and run again",
        StepFailure.detailsOf(cause));
  }

  private List<InitramfsFailure> renewInitramfs(List<InitramfsStep> steps) {
    List<InitramfsFailure> failures = new ArrayList<>();
    for (InitramfsStep step : steps) {
      context.faults().at("before initramfs");
      InitramfsFailure failure = renew(step);
      if (failure != null) {
        failures.add(failure);
      }
      context.faults().at("after initramfs");
    }
    return failures;
  }

  private static List<String> kernelsOf(List<InitramfsFailure> failures) {
    return failures.stream().map(InitramfsFailure::kernel).toList();
  }

  /**
   * Writes down that it is done; one that changed and installed nothing is forgotten, as there is
   * nothing to undo.
   *
   * @return its number in the history, or 0
   */
  private int conclude(TransactionProgress done) throws IOException {
    if (record.changes().isEmpty() && record.installed().isEmpty() && record.external().isEmpty()) {
      directory.delete();
      return 0;
    }
    directory.write(done);
    return record.number();
  }

  /**
   * Finishes a transaction that was interrupted, or takes it back if that was under way or is all
   * that can be done.
   *
   * @return how far it is now: done or rolled back
   * @throws NotDoneException if neither is possible
   */
  TransactionProgress recover(TransactionProgress progress, Renewals renewals)
      throws NotDoneException {
    if (progress.phase() == TransactionProgress.Phase.ROLLING_BACK) {
      String problem = progress.problem();
      return rolledBack(takeBack(new IOException(problem == null ? "" : problem)));
    }
    try {
      return goOn(progress, renewals);
    } catch (IOException e) {
      if (progress.phase() == TransactionProgress.Phase.INDEXED) {
        throw broken(e, e);
      }
      return rolledBack(takeBack(e));
    }
  }

  private static TransactionProgress rolledBack(NotDoneException end) throws NotDoneException {
    if (end.outcome() == Outcome.BROKEN) {
      throw end;
    }
    return TransactionProgress.rolledBack(String.valueOf(end.getMessage()));
  }

  private TransactionProgress goOn(TransactionProgress progress, Renewals renewals)
      throws IOException {
    List<IndexSet> written = progress.written();
    if (progress.phase() == TransactionProgress.Phase.BEGUN) {
      links.prepare();
      links.commit();
      for (String conflict : links.conflicts()) {
        context.listener().warning(conflict + "; left as it is");
      }
      written = indexing.renew();
      directory.write(TransactionProgress.indexed(written, record.initramfs()));
    }
    finish();
    TransactionProgress done = TransactionProgress.done(written, stillPending(renewals));
    conclude(done);
    return done;
  }

  /** No command out of a journal is run; what renews the images now is found out again. */
  private List<String> stillPending(Renewals renewals) {
    if (record.initramfs().isEmpty() || renewals == Renewals.NONE) {
      return record.initramfs();
    }
    List<InitramfsStep> steps = new ArrayList<>();
    for (InitramfsStep step : renewals.of(History.entry(record, TransactionProgress.BEGUN))) {
      if (record.initramfs().contains(step.kernel())) {
        steps.add(step);
      }
    }
    List<InitramfsFailure> failures = renewInitramfs(steps);
    for (InitramfsFailure failure : failures) {
      context.listener().warning(failure.reason());
    }
    return kernelsOf(failures);
  }

  /** Java puts the path before the reason. */
  private String describe(IOException e) {
    String message = e.getMessage();
    return message == null ? IoReason.of(e) : message;
  }

  /** Runs what renews an initramfs; null if it went well. */
  private @Nullable InitramfsFailure renew(InitramfsStep step) {
    context.listener().initramfs(step.kernel());
    String program = step.command().get(0);
    try {
      ExternalCommand.Result result =
          ExternalCommand.of(step.command(), context.settings().initramfsLimit()).run();
      return result.succeeded()
          ? null
          : new InitramfsFailure(
              step.kernel(), program + " failed (" + result.reason() + ")", result.lines());
    } catch (IOException e) {
      return new InitramfsFailure(
          step.kernel(), program + " cannot be run: " + IoReason.of(e), List.of());
    }
  }
}
