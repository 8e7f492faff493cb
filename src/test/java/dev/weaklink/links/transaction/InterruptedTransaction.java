package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;

/** Breaks a transaction off at one of its fault points, as a kill would. */
public final class InterruptedTransaction implements FaultPoint {
    private final int last;
    private int reached;
    private String where = "";

    private InterruptedTransaction(int last) {
        this.last = last;
    }

    /** Thrown at the point; nothing catches it on the way but tests. */
    public static final class Kill extends Error {
        private static final long serialVersionUID = 1;

        Kill(String step) {
            super(step, null, false, false);
        }
    }

    /** Breaks off at the point of this number, counted from 1. */
    public static InterruptedTransaction at(int number) {
        return new InterruptedTransaction(number);
    }

    /** Only counts. */
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

    /** How many points there were. */
    public int reached() {
        return reached;
    }

    /** The last one. */
    public String where() {
        return reached + " (" + where + ")";
    }
}
