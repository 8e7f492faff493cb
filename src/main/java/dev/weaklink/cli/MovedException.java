package dev.weaklink.cli;

/** An option of {@code weaklink check} that is part of {@code weaklink matrix} now. */
final class MovedException extends UsageException {
    /**
     * @param option the option as typed
     * @param usage what to type behind {@code weaklink matrix}
     */
    MovedException(String option, String usage) {
        super(option + ": moved to 'weaklink matrix " + usage + "'");
    }
}
