package dev.weaklink.links.transaction;

import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Transactions of one command that are one entry of the history and are undone as one. Its number is that of the first
 * of them; until one was carried out there is nothing to it.
 */
public final class TransactionGroup {
    private final boolean open;
    private int number;

    private TransactionGroup(boolean open, int number) {
        this.open = open;
        this.number = number;
    }

    /** One that is complete with whatever was carried out. */
    public static TransactionGroup begin() {
        return new TransactionGroup(false, 0);
    }

    /**
     * One that is complete only once {@link TransactionRunner#close} says so; that which was interrupted goes on if
     * there is one.
     */
    public static TransactionGroup resume(Root root) throws IOException {
        HistoryEntry interrupted = History.read(root).open();
        return new TransactionGroup(true, interrupted == null ? 0 : interrupted.group());
    }

    /** Held by who rebuilds and installs, for as long as that takes. */
    public static Path lockFile(Root root) throws IOException {
        return root.resolve("/run/weaklink").resolve("apply.lock");
    }

    /**
     * Whether a killed process left one that is not complete; false while one is at work.
     *
     * @throws IOException if the history cannot be read
     */
    public static boolean isInterrupted(Root root) throws IOException {
        return History.read(root).open() != null
                && LockFile.heldBy(lockFile(root)) == null
                && History.read(root).open() != null;
    }

    /** Whether more belongs to it after each transaction. */
    boolean isOpen() {
        return open;
    }

    /** 0 if nothing was carried out yet. */
    public int number() {
        return number;
    }

    /** A transaction of this number was carried out. */
    void carriedOut(int transaction) {
        number = number == 0 ? transaction : number;
    }
}
