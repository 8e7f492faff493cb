package dev.weaklink.loader;

public enum Outcome {
    /** The loader would accept the module, and weaklink found no reason to doubt this. */
    COMPATIBLE,
    INCOMPATIBLE,
    UNDETERMINED
}
