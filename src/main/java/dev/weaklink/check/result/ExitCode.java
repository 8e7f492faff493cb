package dev.weaklink.check.result;

/** The exit statuses; the last two only of commands that change something. */
public enum ExitCode {
    /** Every module was judged, and every one would load. */
    COMPATIBLE(0, "every module would load"),
    /** At least one module would be refused. */
    INCOMPATIBLE(1, "at least one module would be refused"),
    /** Wrong usage, or nothing given could be judged. */
    UNUSABLE(2, "wrong usage, or nothing that was given could be judged"),
    /** No module is known to be refused, but not all are known to load. */
    UNDETERMINED(3, "nothing would be refused, but something could not be determined"),
    /** An action was refused or failed, and everything is as it was before. */
    ROLLED_BACK(4, "an action failed, and everything is as it was before"),
    /** An action failed, and manual intervention is required. */
    BROKEN(5, "an action failed; manual intervention required");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    /** The process's exit status. */
    public int number() {
        return number;
    }

    /** What it says, for help and manual pages. */
    public String meaning() {
        return meaning;
    }
}
