package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;

/** Interrupts a transaction at one of its fault points, as a kill would. */
public final class InterruptedTransaction implements FaultPoint {
    private final int last;
    private int reached;
    private String where = "";

    private InterruptedTransaction(int last) {
        this.last = last;
    }

    /** The error that interrupts the transaction; only tests catch it. */
    public static final class Kill extends Error {
        private static final long serialVersionUID = 1;

        Kill(String step) {
            super(step, null, false, false);
        }
    }

    /** Interrupts at the fault point with this number, counted from 1. */
    public static InterruptedTransaction at(int number) {
        return new InterruptedTransaction(number);
    }

    /** Counts the fault points without interrupting. */
    public static InterruptedTransaction never() {
        return new InterruptedTransaction(Integer.MAX_VALUE);
    }

    @Override
    public void at(String step) {
        where = step;
        if (++reached >= last) {
            throw new Kill(step);
        }
    }

    public int reached() {
        return reached;
    }

    /** Returns the number and the name of the last fault point. */
    public String where() {
        return reached + " (" + where + ")";
    }
}
