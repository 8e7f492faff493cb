package dev.weaklink.links.transaction;

/** How far a transaction got. */
public enum TransactionState {
  /** Interrupted; the next run finishes it or takes it back. */
  UNFINISHED,
  /** Carried out. */
  DONE,
  /** Failed, and everything is as it was before. */
  ROLLED_BACK
}
