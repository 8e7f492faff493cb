package dev.weaklink.links.transaction;

import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A group of transactions of one command, which form one history entry and are undone together. The group's number is
 * the number of its first transaction, or 0 before that transaction.
 */
public final class TransactionGroup {
    private final boolean open;
    private int number;

    private TransactionGroup(boolean open, int number) {
        this.open = open;
        this.number = number;
    }

    /**
     * Returns a group that needs no {@link TransactionRunner#close}. If a killed process left an unfinished transaction
     * with this title, the new transactions join the group of that transaction. One undo then takes back the
     * transactions of both commands.
     */
    public static TransactionGroup begin(Root root, String title) {
        int number = 0;
        try {
            HistoryEntry interrupted = History.interrupted(root);
            number = interrupted != null && interrupted.title().equals(title) ? interrupted.group() : 0;
        } catch (IOException e) {
            // the transaction itself reports the error
        }
        return new TransactionGroup(false, number);
    }

    /**
     * Returns a group that is complete only after {@link TransactionRunner#close}; continues an interrupted group if
     * there is one.
     */
    public static TransactionGroup resume(Root root) throws IOException {
        HistoryEntry interrupted = History.read(root).open();
        return new TransactionGroup(true, interrupted == null ? 0 : interrupted.group());
    }

    public static Path lockFile(Root root) throws IOException {
        return root.resolve("/run/weaklink").resolve("apply.lock");
    }

    /**
     * Returns whether a killed process left an incomplete group; false while an {@code apply --rebuild} is running.
     *
     * @throws IOException if the history cannot be read
     */
    public static boolean isInterrupted(Root root) throws IOException {
        return History.read(root).open() != null
                && LockFile.heldBy(lockFile(root)) == null
                && History.read(root).open() != null;
    }

    boolean isOpen() {
        return open;
    }

    public int number() {
        return number;
    }

    void carriedOut(int transaction) {
        number = number == 0 ? transaction : number;
    }
}
