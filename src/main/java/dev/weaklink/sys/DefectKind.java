package dev.weaklink.sys;

/** A kind of things that are wrong on a machine. */
public interface DefectKind extends StableId {
    /** The constant's place in its enum. */
    int ordinal();

    /** What it means, in words. */
    String meaning();

    /** Whether something does not work because of it; else it is a warning. */
    default boolean isFailure() {
        return true;
    }

    /** What to do; empty if the meaning says it. */
    default String remedy() {
        return "";
    }
}
