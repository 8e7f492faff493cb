package dev.weaklink.sys;

public interface DefectKind extends StableId {
    int ordinal();

    String meaning();

    /** Returns whether something fails because of the defect; otherwise it is a warning. */
    default boolean isFailure() {
        return true;
    }

    default String remedy() {
        return "";
    }
}
