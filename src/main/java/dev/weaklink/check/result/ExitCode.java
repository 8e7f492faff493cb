package dev.weaklink.check.result;

/** The exit statuses. Only commands that change files use the last two. */
public enum ExitCode {
    COMPATIBLE(0, "every module would load"),
    INCOMPATIBLE(1, "at least one module would be refused"),
    UNUSABLE(2, "wrong usage, no module could be read, or no kernel could be read"),
    UNDETERMINED(3, "nothing would be refused, but something could not be determined"),
    ROLLED_BACK(4, "an action failed, and weaklink took all changes back"),
    BROKEN(5, "an action failed; manual intervention required");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    public int number() {
        return number;
    }

    public String meaning() {
        return meaning;
    }
}
