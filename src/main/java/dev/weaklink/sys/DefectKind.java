package dev.weaklink.sys;

public interface DefectKind extends StableId {
    int ordinal();

    String meaning();

    /** Returns whether the defect is a failure; if not, it is only a warning. */
    default boolean isFailure() {
        return true;
    }

    default String remedy() {
        return "";
    }
}
