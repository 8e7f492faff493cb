package dev.weaklink.links;

import dev.weaklink.sys.Root;

/**
 * Carries out transactions in a root, one at a time: lock, recovery of an interrupted one, journal,
 * links, depmod, initramfs. Killed at any point, the next one finishes or takes back what was
 * begun.
 */
public final class TransactionRunner {
  private final Root root;
  private final TransactionSettings settings;
  private final TransactionListener listener;

  public TransactionRunner(Root root, TransactionSettings settings, TransactionListener listener) {
    this.root = root;
    this.settings = settings;
    this.listener = listener;
  }

  /**
   * Carries out a transaction.
   *
   * @throws TransactionException if it was refused or failed; says in what state the root is
   */
  public TransactionOutcome run(LinkTransaction transaction) throws TransactionException {
    throw new UnsupportedOperationException("not yet: " + root + settings + listener + transaction);
  }

  /**
   * Restores, in a new transaction, what was there before an earlier one; depmod's index files,
   * too.
   *
   * @throws TransactionException if paths are no longer what that transaction left (its details
   *     list them), or as for {@link #run}
   */
  public TransactionOutcome undo(UndoRequest request) throws TransactionException {
    throw new UnsupportedOperationException("not yet: " + request);
  }

  /**
   * Finishes or takes back an interrupted transaction, if there is one, and does nothing else.
   * {@link #run} and {@link #undo} do it by themselves.
   *
   * @throws TransactionException if that is impossible
   */
  public void recover() throws TransactionException {
    throw new UnsupportedOperationException("not yet");
  }
}
