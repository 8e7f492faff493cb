package dev.weaklink.sys;

public interface DefectKind extends StableId {
    int ordinal();

    String meaning();

    /** Returns whether something fails because of the defect; if not, the defect is only a warning. */
    default boolean isFailure() {
        return true;
    }

    default String remedy() {
        return "";
    }
}
