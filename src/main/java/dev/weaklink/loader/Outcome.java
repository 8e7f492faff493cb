package dev.weaklink.loader;

/** The answer for one module on one target. */
public enum Outcome {
    /** The loader would accept it, and every symbol's CRC was compared. */
    COMPATIBLE,
    /** The loader would refuse it. */
    INCOMPATIBLE,
    /** Something decisive could not be checked. */
    UNDETERMINED
}
