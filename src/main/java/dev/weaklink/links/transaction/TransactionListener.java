package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.sys.LockFile;

/** A listener for the progress of a transaction. The listener receives names unescaped. */
public interface TransactionListener {
    TransactionListener NONE = new TransactionListener() {};

    /** Called when another process holds the lock, and again whenever the holder changes. */
    default void waitingFor(LockFile.Holder holder) {
        warning(holder.words() + " is changing links; waiting for it to finish");
    }

    default void recovering(int number, String title) {
        warning("transaction " + number + " was interrupted (" + title + ")");
    }

    default void recovered(HistoryEntry entry) {
        String problem = entry.problem();
        warning("transaction "
                + entry.number()
                + (entry.state() == TransactionState.DONE ? " has now been finished" : " has now been taken back")
                + (problem == null || problem.isEmpty() ? "" : ": " + problem));
        for (String kernel : entry.initramfsPending()) {
            warning("the initramfs of " + kernel + " was not renewed; renew it");
        }
    }

    default void depmod(String kernel) {}

    default void initramfs(String kernel) {}

    default void warning(String message) {}
}
