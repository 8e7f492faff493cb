package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.sys.LockFile;

/** Follows a transaction. Names are as found and not yet fit for a terminal. */
public interface TransactionListener {
    /** Ignores all of it. */
    TransactionListener NONE = new TransactionListener() {};

    /** Another process has the lock; said once, and again when another one has got it. */
    default void waitingFor(LockFile.Holder holder) {
        warning(holder.words() + " is changing links; waiting for it to finish");
    }

    /** An earlier transaction was interrupted, and is now finished or taken back. */
    default void recovering(int number, String title) {
        warning("transaction " + number + " was interrupted (" + title + ")");
    }

    /** The interrupted transaction is as it says now. */
    default void recovered(HistoryEntry entry) {
        String problem = entry.problem();
        warning("transaction "
                + entry.number()
                + (entry.state() == TransactionState.DONE ? " is finished now" : " is taken back now")
                + (problem == null || problem.isEmpty() ? "" : ": " + problem));
        for (String kernel : entry.initramfsPending()) {
            warning("the initramfs of " + kernel + " was not renewed; renew it");
        }
    }

    /** depmod starts for this kernel. */
    default void depmod(String kernel) {}

    /** The command that renews this kernel's initramfs starts. */
    default void initramfs(String kernel) {}

    /** Something is worth knowing, but does not stop the transaction. */
    default void warning(String message) {}
}
