package dev.weaklink.cli;

/** An error for an option of {@code weaklink check} that has moved to {@code weaklink matrix}. */
final class MovedException extends UsageException {
    /**
     * Creates the error.
     *
     * @param option the option as typed
     * @param usage the arguments for {@code weaklink matrix}
     */
    MovedException(String option, String usage) {
        super(option + ": moved to 'weaklink matrix " + usage + "'");
    }
}
