package dev.weaklink.sys;

import java.io.Serial;
import java.util.List;

/** Something was not carried out. The message is one line; names in it are as found and not yet fit for a terminal. */
public final class NotDoneException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** In what state the failure leaves the system. */
    public enum Outcome {
        /** Nothing was changed. */
        REFUSED,
        /** Something had been changed, and all of it was taken back. */
        ROLLED_BACK,
        /** Taking it back failed, too: manual intervention is required. */
        BROKEN
    }

    private final Outcome outcome;
    private final transient List<String> details;

    /** Nothing was changed; the message says why, and what to give. */
    public NotDoneException(String message) {
        this(Outcome.REFUSED, message);
    }

    public NotDoneException(Outcome outcome, String message) {
        this(outcome, message, List.of());
    }

    public NotDoneException(Outcome outcome, String message, List<String> details) {
        super(message);
        this.outcome = outcome;
        this.details = List.copyOf(details);
    }

    /** In what state the system is now. */
    public Outcome outcome() {
        return outcome;
    }

    /** More lines, one a path that is not as it should be, or of what a program printed. */
    public List<String> details() {
        return details;
    }
}
