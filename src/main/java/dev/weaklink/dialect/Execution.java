package dev.weaklink.dialect;

import dev.weaklink.links.LinkTransaction;
import dev.weaklink.links.TransactionException;
import dev.weaklink.links.TransactionListener;
import dev.weaklink.links.TransactionOutcome;
import dev.weaklink.links.TransactionRunner;
import dev.weaklink.links.TransactionSettings;
import dev.weaklink.sys.Root;

/** Carries out transactions. */
interface Execution {
  TransactionOutcome run(Root root, LinkTransaction transaction, TransactionListener listener)
      throws TransactionException;

  /** Really, with the usual limits. */
  static Execution real() {
    return (root, transaction, listener) ->
        new TransactionRunner(root, TransactionSettings.DEFAULT, listener).run(transaction);
  }
}
