package dev.weaklink.dialect;

import dev.weaklink.links.LinkTransaction;
import dev.weaklink.links.TransactionException;
import dev.weaklink.links.TransactionListener;
import dev.weaklink.links.TransactionOutcome;
import dev.weaklink.links.TransactionRunner;
import dev.weaklink.links.TransactionSettings;
import dev.weaklink.sys.Root;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Carries out transactions. */
interface Execution {
  TransactionOutcome run(Root root, LinkTransaction transaction, TransactionListener listener)
      throws TransactionException;

  /** Really, with the usual limits. */
  static Execution real() {
    return with(null);
  }

  /** Really, with this depmod, or the usual one if it is null. */
  static Execution with(@Nullable Path depmod) {
    TransactionSettings settings = TransactionSettings.DEFAULT.withDepmod(depmod);
    return (root, transaction, listener) ->
        new TransactionRunner(root, settings, listener).run(transaction);
  }
}
