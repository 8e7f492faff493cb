/**
 * Changes links and files on disk in transactions. The input is a list of {@link dev.weaklink.links.transaction.Change}
 * objects, the result a {@link dev.weaklink.links.transaction.TransactionOutcome}. Open
 * {@link dev.weaklink.links.transaction.TransactionRunner} first: it takes the lock, recovers an interrupted
 * transaction, writes the journal, and carries out the changes. {@code Execution} carries out the steps. A step can be
 * repeated after an interruption, and rolled back until depmod's new indexes are recorded.
 * {@link dev.weaklink.links.transaction.History} lists past transactions. A transaction that was carried out can be
 * undone by a new transaction. Transactions change no links or files outside the root directory.
 */
@NullMarked
package dev.weaklink.links.transaction;

import org.jspecify.annotations.NullMarked;
