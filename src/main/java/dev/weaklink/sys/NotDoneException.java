package dev.weaklink.sys;

import java.io.Serial;
import java.util.List;

/** An exception for an action that was refused or failed. The message is one line, in which names are not escaped. */
public final class NotDoneException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    public enum FailureState {
        /** The action was refused or failed before it changed anything. */
        REFUSED,
        ROLLED_BACK,
        /** The changes could be neither completed nor undone, so that a person must act. */
        BROKEN
    }

    private final FailureState outcome;
    private final transient List<String> details;

    public NotDoneException(String message) {
        this(FailureState.REFUSED, message);
    }

    public NotDoneException(FailureState outcome, String message) {
        this(outcome, message, List.of());
    }

    public NotDoneException(FailureState outcome, String message, List<String> details) {
        super(message);
        this.outcome = outcome;
        this.details = List.copyOf(details);
    }

    public FailureState outcome() {
        return outcome;
    }

    public List<String> details() {
        return details;
    }
}
