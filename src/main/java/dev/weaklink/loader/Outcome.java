package dev.weaklink.loader;

/** The result for one module on one target. */
public enum Outcome {
    /** The loader would accept the module, and every symbol's CRC was compared. */
    COMPATIBLE,
    INCOMPATIBLE,
    UNDETERMINED
}
