package dev.weaklink.cli;

/** An invalid command line; the message is one line that says what is wrong. */
public class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
