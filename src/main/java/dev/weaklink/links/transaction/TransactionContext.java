package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.Root;

/** Where and how a transaction is carried out. */
record TransactionContext(Root root, TransactionSettings settings, TransactionListener listener) {
  FaultPoint faults() {
    return settings.faults();
  }
}
