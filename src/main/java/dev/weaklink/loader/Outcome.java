package dev.weaklink.loader;

public enum Outcome {
    /** The loader would accept the module, and every symbol's CRC was compared. */
    COMPATIBLE,
    INCOMPATIBLE,
    UNDETERMINED
}
