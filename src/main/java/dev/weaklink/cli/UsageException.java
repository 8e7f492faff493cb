package dev.weaklink.cli;

/** An invalid command line, with a message of one line. */
public class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
